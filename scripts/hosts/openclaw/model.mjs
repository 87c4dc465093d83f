// A stub of an OpenAI-compatible model on loopback. It plays the steps that the test hands it, one per request with tools,
// and keeps every request: what clawback promises is a promise about these.
import http from 'node:http'

export const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join(''))

/** What OpenClaw demands of a summary; the marker tells it from clawback's. */
const SUMMARY = (ask) => ['## Decisions', '- SUMMARY-OF-A-MODEL', '', '## Open TODOs', '- none', '', '## Constraints/Rules', '- none', '', '## Pending user asks', `- ${ask}`, '', '## Exact identifiers', '- none'].join('\n')

const tokensOf = (value) => Math.ceil(JSON.stringify(value ?? '').length / 4)

export async function startModel() {
  const requests = []
  let steps = []
  let calls = 0
  let limit = Infinity
  let held = null
  let busy = 0

  async function respond(asked, response) {
    busy += 1
    response.on('close', () => (busy -= 1))
    if (held?.pattern.test(asked.messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content)).join('\n'))) {
      const { until } = held
      held = null
      await until
    }
    const system = textOf(asked.messages.find(({ role }) => role === 'system' || role === 'developer')?.content)
    const chat = (asked.tools ?? []).length > 0
    const tokens = tokensOf(asked.messages) + tokensOf(asked.tools)
    const overhead = tokensOf(system) + tokensOf(asked.tools)
    const request = { kind: chat ? 'chat' : 'summary', messages: asked.messages, system, tokens, overhead, bytes: JSON.stringify(asked.messages).length, refused: false }
    requests.push(request)
    if (chat && tokens > limit) {
      request.refused = true
      response.writeHead(400, { 'content-type': 'application/json' })
      const message = `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens.`
      return response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: 'context_length_exceeded' } }))
    }
    const asks = asked.messages.filter(({ role }) => role === 'user').map(({ content }) => textOf(content))
    const step = chat ? { text: 'Done.', ...steps.shift() } : { text: SUMMARY(asks.at(-1)?.match(/\[User\]:?\s*([^\n]{0,200})/)?.[1] ?? 'none') }
    const tools = (step.tools ?? []).map((tool, index) => ({ index, id: `call_${++calls}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(tool.arguments) } }))
    const text = tools.length ? (step.say ?? '') : step.text
    const completion = tokensOf([text, tools])
    const head = { id: `answer-${requests.length}`, created: Math.floor(Date.now() / 1000), model: asked.model }
    const usage = { prompt_tokens: tokens, completion_tokens: completion, total_tokens: tokens + completion }
    const finish = tools.length ? 'tool_calls' : 'stop'
    if (!asked.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const message = { role: 'assistant', content: text || null, ...(tools.length ? { tool_calls: tools } : {}) }
      return response.end(JSON.stringify({ ...head, object: 'chat.completion', choices: [{ index: 0, finish_reason: finish, message }], usage }))
    }
    const send = (part) => response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...part })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    send({ choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] })
    if (tools.length) send({ choices: [{ index: 0, delta: { tool_calls: tools }, finish_reason: null }] })
    send({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })
    send({ choices: [], usage })
    return response.end('data: [DONE]\n\n')
  }

  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (data) => (body += data))
    request.on('end', () => (request.url.endsWith('/chat/completions') ? respond(JSON.parse(body), response) : response.writeHead(404).end('{}')))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    requests,
    chats: () => requests.filter(({ kind, refused }) => kind === 'chat' && !refused),
    summaries: () => requests.filter(({ kind }) => kind === 'summary'),
    /** What the model says next, one step per request: `{ text }` or `{ tools: [{ name, arguments }] }`. */
    plays: (next) => void (steps = [...next]),
    /** The next request in which a person says such a thing is answered when the promise resolves. */
    holds: (pattern, until) => void (held = { pattern, until }),
    /** Until nobody has asked anything for a while: the host also speaks to the model by itself. */
    async quiet(ms = 2_000) {
      for (let since = Date.now(), seen = requests.length; Date.now() - since < ms; await new Promise((resolve) => setTimeout(resolve, 50))) {
        if (busy > 0 || requests.length > seen) [since, seen] = [Date.now(), requests.length]
      }
    },
    /** From now on, requests above so many tokens are refused as too long. */
    refusesAbove: (tokens) => void (limit = tokens),
    close: () => new Promise((resolve) => (server.closeAllConnections?.(), server.close(resolve))),
  }
}
