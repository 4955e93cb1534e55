// Sets a new password: posts it to the address of this page, which contains the token of the mail. The link in HTML mails
// has the project after the #; without it, the page asks for the project.
import { onPassword } from './page.js';

const project = document.getElementById('project');
project.value = location.hash.slice(1);
document.getElementById('asked').hidden = project.value !== '';

async function setPassword(password) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'kind-project-key': project.value.trim(), 'content-type': 'application/json' },
    body: JSON.stringify({ new_password: password }),
  });
  const { messages } = await response.json();
  if (!response.ok) throw new Error(messages.map(({ text }) => text).join(' '));
}

onPassword(setPassword, 'It is set. Sign in with it from now on.');
