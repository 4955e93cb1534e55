/** Comments: an answer changes whose turn it is, and customers get the answers of agents by mail. */
import { filter, kind } from 'kind';

export default kind('comment').module({
  hooks: {
    async after_create({ unit: { ticket }, member, system }) {
      if (member?.kind_id !== 'customer') return;
      await system
        .units('ticket')
        .updateAll(filter`and(eq(id,${String(ticket)}),eq(state,pending))`, { state: 'open' });
    },
    // What comes by mail has no member.
    async after_commit({ event: { operation, member_kind, unit }, system, mail }) {
      if (operation !== 'create' || unit.internal || !member_kind || member_kind === 'customer') return;
      const { items } = await system.units('ticket').list({
        filter: filter`eq(id,${String(unit.ticket)})`,
        include: ['number', 'subject', 'customer.email', 'customer.organisation.inbox'],
      });
      for (const ticket of items) {
        const inbox = ticket['customer.organisation.inbox'];
        mail({
          to: String(ticket['customer.email']),
          ...(typeof inbox === 'string' && { reply_to: inbox }),
          subject: `[#${Number(ticket.number)}] ${String(ticket.subject)}`,
          text: `${String(unit.author)} wrote:\n\n${String(unit.text)}`,
        });
      }
    },
  },
});
