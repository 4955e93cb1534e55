// Proves an e-mail address: posts the token, which stands after the # of the address of this page, with the password.
import { onPassword } from './page.js';

const token = location.hash.slice(1);
const project = decodeURIComponent(location.pathname.split('/').at(-2));

async function confirmAddress(password) {
  const response = await fetch('../../auth/verify_email', {
    method: 'POST',
    credentials: 'omit',
    headers: { 'kind-project-key': project, 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  });
  if (response.ok) return;
  if (response.status === 401) throw new Error('The password is wrong, or the link was used or is too old.');
  const { messages } = await response.json();
  throw new Error(messages.map(({ text }) => text).join(' '));
}

onPassword(async (password) => {
  await confirmAddress(password);
  document.getElementById('without').hidden = true;
}, 'Your e-mail address is confirmed.');
