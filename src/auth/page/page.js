// What the pages behind the links of mails share. Each has a form that asks for a password, and a line that says what came of it.
const status = document.querySelector('[role=status]');
const form = document.querySelector('form');
form.hidden = false;

function showStatus(text, mood = '') {
  status.textContent = text;
  status.className = mood;
}

/** Says for which project it is, once its key is known. */
export function showProject(key) {
  const line = document.querySelector('.project');
  line.querySelector('b').textContent = key;
  line.hidden = key === '';
}

/** The text of an answer, which may come from a proxy. */
export async function textOf(response) {
  const { messages = [] } = await response.json().catch(() => ({}));
  return (
    messages.map(({ text }) => text).join(' ') || `It cannot be done now (${response.status}). Try again in a while.`
  );
}

/** Does `send` with the password when the form is sent, and then says `done` in place of the form, and where to go on. */
export function onPassword(send, done, projectOf) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    showStatus('');
    try {
      await send(document.getElementById('password').value);
    } catch (error) {
      showStatus(
        error instanceof TypeError ? 'The service cannot be reached. Try again in a while.' : error.message,
        'bad',
      );
      return;
    }
    form.hidden = true;
    showStatus(done);
    await showConsole(projectOf());
  });
}

/** A service may be without a console. */
async function showConsole(project) {
  const line = document.querySelector('.on');
  const link = line.querySelector('a');
  link.href = '../../../../console/';
  const answer = await fetch(link.href, { method: 'HEAD', credentials: 'omit' }).catch(() => undefined);
  link.search = new URLSearchParams({ project }).toString();
  line.hidden = !answer?.ok;
}
