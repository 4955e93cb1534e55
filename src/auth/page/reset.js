// Sets a new password: posts it to the address of this page, which contains the token of the mail. The link in HTML mails
// has the project after the #; without it, the page asks for the project.
import { onPassword, showProject, textOf } from './page.js';

const project = document.getElementById('project');
project.value = location.hash.slice(1);
document.getElementById('asked').hidden = project.value !== '';
showProject(project.value);

const projectOf = () => project.value.trim();

async function setPassword(password) {
  const response = await fetch(location.pathname, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'kind-project-key': projectOf(), 'content-type': 'application/json' },
    body: JSON.stringify({ new_password: password }),
  });
  if (!response.ok) throw new Error(await textOf(response));
}

onPassword(setPassword, 'It is set. Sign in with it from now on.', projectOf);
