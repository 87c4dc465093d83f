// Test aid: pi's RPC mode has no command for moving in the tree or reloading, an extension has.
export default function (pi) {
  const command = (name, run) =>
    pi.registerCommand(name, {
      description: 'for tests',
      handler: async (args, ctx) => {
        // After a reload this context is stale; the notice goes out first.
        ctx.ui.notify(`${name} ${args}`, 'info')
        await run(args.trim(), ctx)
      },
    })
  command('test-tree', (target, ctx) => ctx.navigateTree(target, { summarize: false }))
  command('test-reload', (_args, ctx) => ctx.reload())
}
