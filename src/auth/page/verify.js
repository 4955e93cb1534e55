// Verifies an e-mail address: posts the token, which stands after the # of the address of this page, with the password.
import { onPassword, showProject, textOf } from './page.js';

const token = location.hash.slice(1);
const project = decodeURIComponent(location.pathname.split('/').at(-2));
const without = document.getElementById('without');
without.hidden = false;
showProject(project);

async function verifyAddress(password) {
  const response = await fetch('../../auth/verify_email', {
    method: 'POST',
    credentials: 'omit',
    headers: { 'kind-project-key': project, 'content-type': 'application/json' },
    body: JSON.stringify({ token, password }),
  });
  if (response.ok) return;
  if (response.status === 401)
    throw new Error('The password is wrong, or the link was used, is too old or is of a session that has ended.');
  throw new Error(await textOf(response));
}

onPassword(
  async (password) => {
    await verifyAddress(password);
    without.hidden = true;
  },
  'Your e-mail address is verified.',
  () => project,
);
