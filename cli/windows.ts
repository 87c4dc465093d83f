// Context windows of models that transcripts name. Only a start: a transcript that reports its window, or whose usage
// does not fit, wins over this list, and `--window` wins over everything.

/** Assumed where nothing is known. */
export const DEFAULT_WINDOW = 200_000

/** Windows that are sold; the next one up is taken when a session uses more than was assumed. */
const STEPS = [128_000, 200_000, 400_000, 1_000_000, 2_000_000, 10_000_000]

const KNOWN: readonly [RegExp, number][] = [
  [/\[1m\]/, 1_000_000],
  [/claude/, 200_000],
  [/gpt-4\.1/, 1_047_576],
  [/gpt-4o|gpt-4-turbo/, 128_000],
  [/gpt-[5-9]/, 400_000],
  [/(^|\/)o[134](-|$)/, 200_000],
  [/gemini/, 1_048_576],
  [/deepseek/, 128_000],
  [/kimi-k2|grok-4|grok-code/, 256_000],
  [/glm-4\.[6-9]/, 200_000],
  [/qwen3/, 262_144],
  [/mistral|devstral|llama-3/, 128_000],
]

/** The window of a model in tokens, if its name is known. */
export function windowOfModel(modelId: string): number | undefined {
  const name = modelId.toLowerCase()
  return KNOWN.find(([pattern]) => pattern.test(name))?.[1]
}

/** The smallest window that is sold and holds so many tokens. */
export function windowThatHolds(tokens: number): number {
  return STEPS.find((step) => step >= tokens) ?? tokens
}
