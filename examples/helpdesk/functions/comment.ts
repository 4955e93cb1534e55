/** Comments: an answer changes whose turn it is, and customers get the answers of agents by mail. */
import { kind } from 'kind';

export default kind('comment').module({
  hooks: {
    async after_create({ unit: { ticket, text, internal, author }, member, system, mail }) {
      // Mails come by the endpoint of tickets, which has no member and opens the ticket itself.
      if (!member || internal) return;
      const { number, subject, state, customer } = await system.units('ticket').get(String(ticket));
      if (member.kind_id === 'customer') {
        if (state === 'pending') await system.units('ticket').update(String(ticket), { state: 'open' });
        return;
      }
      const { email, organisation } = await system.units('customer').get(String(customer));
      const { inbox } = await system.units('organisation').get(String(organisation));
      mail({
        to: String(email),
        ...(typeof inbox === 'string' && { reply_to: inbox }),
        subject: `[#${Number(number)}] ${String(subject)}`,
        text: `${String(author)} wrote:\n\n${String(text)}`,
      });
    },
  },
});
