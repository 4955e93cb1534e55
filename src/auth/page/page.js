// What the pages behind the links of mails share. Each has a form that asks for a password, and a line that says what came of it.
const status = document.querySelector('[role=status]');

function showStatus(text, mood = '') {
  status.textContent = text;
  status.className = mood;
}

/** Does `send` with the password when the form is sent, and then says `done` in place of the form. */
export function onPassword(send, done) {
  const form = document.querySelector('form');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    showStatus('');
    try {
      await send(document.getElementById('password').value);
      form.hidden = true;
      showStatus(done);
    } catch (error) {
      showStatus(error.message, 'bad');
    }
  });
}
