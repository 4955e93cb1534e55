/** Lines: while one changes, nobody places its order, so that no line comes after the prices were added up. */
import { kind, type HookContext } from 'kind';

async function hold({ system }: HookContext, order: unknown): Promise<void> {
  if (typeof order === 'string') await system.units('order').find(order, { lock: true });
}

export default kind('line').module({
  hooks: {
    before_create: (context) => hold(context, context.values['order']),
    before_update: (context) => hold(context, context.unit['order']),
    before_delete: (context) => hold(context, context.unit['order']),
  },
});
