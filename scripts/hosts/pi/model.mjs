// A stub of an OpenAI-compatible model on loopback. It plays the steps it was given and keeps every request it received:
// what clawback promises is a promise about these. It never looks at the conversation to decide what to say, so a test
// may drop any of it.
import http from 'node:http'

export const textOf = (content) => (typeof content === 'string' ? content : (content ?? []).map((block) => block.text ?? '').join(''))

/** The summary a host gets when it asks for one, in the form that pi's prompt demands. */
const SUMMARY = `## Goal
Keep the shop import running.

## Constraints & Preferences
- Never touch docs/legal

## Progress
### Done
- [x] Read the importer

## Key Decisions
- **Host summary marker**: this text came from a model

## Next Steps
1. Go on`

/** What a request would cost; near enough to what pi estimates itself. */
const tokensOf = (value) => Math.ceil(JSON.stringify(value).length / 4)

export async function startModel() {
  const requests = []
  let steps = []
  let calls = 0
  const answer = (asked) => {
    const system = asked.messages.filter(({ role }) => role === 'system' || role === 'developer').map((m) => textOf(m.content)).join('\n')
    if (/context summarization assistant/.test(system)) return { kind: 'summary', text: SUMMARY }
    return { kind: 'chat', text: 'Nothing left to do.', ...steps.shift() }
  }
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (data) => (body += data))
    request.on('end', () => {
      if (!request.url.endsWith('/chat/completions')) return response.writeHead(404).end('{}')
      const asked = JSON.parse(body)
      const step = answer(asked)
      const prompt = tokensOf(asked.messages)
      requests.push({ kind: step.kind, messages: asked.messages, tokens: prompt, bytes: body.length })
      const tools = (step.tools ?? []).map((tool, index) => ({ index, id: `call_${++calls}`, type: 'function', function: { name: tool.name, arguments: JSON.stringify(tool.arguments) } }))
      const completion = tokensOf([step.text, tools])
      const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
      const send = (part) => response.write(`data: ${JSON.stringify({ id: 'answer', object: 'chat.completion.chunk', created: 1, model: asked.model, ...part })}\n\n`)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      send({ choices: [{ index: 0, delta: { role: 'assistant', content: step.text }, finish_reason: null }] })
      if (tools.length > 0) send({ choices: [{ index: 0, delta: { tool_calls: tools }, finish_reason: null }] })
      send({ choices: [{ index: 0, delta: {}, finish_reason: tools.length > 0 ? 'tool_calls' : 'stop' }] })
      send({ choices: [], usage })
      response.end('data: [DONE]\n\n')
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: server.address().port,
    requests,
    chats: () => requests.filter(({ kind }) => kind === 'chat'),
    summaries: () => requests.filter(({ kind }) => kind === 'summary'),
    /** What the model will say next, one step per request: `{ text, tools: [{ name, arguments }] }`. */
    plays: (next) => void (steps = [...next]),
    unplayed: () => steps.length,
    close: () => new Promise((resolve) => (server.closeAllConnections?.(), server.close(resolve))),
  }
}

/** A step that prints so many bytes through pi's bash tool. */
export const prints = (bytes, text = 'Looking.', mark = 'x') => ({ text, tools: [{ name: 'bash', arguments: { command: `printf '${mark}: '; head -c ${bytes} /dev/zero | tr '\\0' 'x' | fold -w 99` } }] })
export const says = (text) => ({ text })
