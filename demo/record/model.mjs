// A stub of an OpenAI-compatible model on loopback that plays story.mjs. It finds its place from the request alone: the
// newest user text names the turn, the number of answers since then names the step.
import http from 'node:http'

const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join(''))

/** The model's answer to a conversation: text and tool calls. */
function answerTo(messages, story) {
  const at = messages.findLastIndex((message) => message.role === 'user')
  const said = textOf(messages[at]?.content).trim()
  const turn = story.find((candidate) => candidate.user === said)
  if (!turn) return { text: 'I did not expect that.', calls: [] }
  const answered = messages.slice(at).filter((message) => message.role === 'assistant').length
  return turn.steps[answered] ?? { text: turn.answer, calls: [] }
}

/** Starts the stub; resolves to its port and a way to stop it. `summaries` are handed out one per compaction. */
export function startModel(story, summaries) {
  const handedOut = { history: 0, prefix: 0 }
  let calls = 0
  const respond = (request) => {
    const system = request.messages.filter((message) => message.role === 'system').map((message) => textOf(message.content)).join('\n')
    if (!/context summarization assistant/.test(system)) return answerTo(request.messages, story)
    // A compaction in the middle of a turn asks twice: for the history and for the head of that turn.
    const prefix = /PREFIX of a turn/.test(JSON.stringify(request.messages))
    const summary = summaries[Math.min(handedOut[prefix ? 'prefix' : 'history']++, summaries.length - 1)]
    return { text: prefix ? summary.prefix : summary.history, calls: [] }
  }
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (data) => (body += data))
    request.on('end', () => {
      if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
      const asked = JSON.parse(body)
      const { text, calls: tools } = respond(asked)
      const prompt = Math.ceil(JSON.stringify(asked.messages).length / 4)
      const completion = Math.ceil((text.length + JSON.stringify(tools).length) / 4)
      const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
      const base = { id: 'answer', object: 'chat.completion.chunk', created: 1, model: asked.model }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (part) => response.write(`data: ${JSON.stringify({ ...base, ...part })}\n\n`)
      send({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] })
      const wire = tools.map((tool, index) => ({ index, id: `call_${String(++calls).padStart(4, '0')}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(tool.arguments) } }))
      if (wire.length > 0) send({ choices: [{ index: 0, delta: { tool_calls: wire }, finish_reason: null }] })
      send({ choices: [{ index: 0, delta: {}, finish_reason: wire.length > 0 ? 'tool_calls' : 'stop' }] })
      send({ choices: [], usage })
      response.end('data: [DONE]\n\n')
    })
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port, close: () => server.close() }))
  })
}
