// Runs one case in a process of its own and prints its rows as JSON: node --expose-gc bench/lib/one.mjs NAME [--quick]
const [name, ...flags] = process.argv.slice(2)
const { run } = await import(`../${name}.mjs`)
const rows = await run({ quick: flags.includes('--quick') })
process.stdout.write(`${JSON.stringify(rows)}\n`, () => process.exit(0))
