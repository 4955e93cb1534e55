// The documentation page: which project and who signs in, and with that Swagger UI. Tokens stay in this page's memory.
'use strict';

const element = (id) => document.getElementById(id);
/** Where the service is for this page, whatever proxies stand before it. */
const base = location.origin + location.pathname.replace(/\/api\/lib\/doc\/swaggerui$/, '');

const session = { project: '', username: '', access: undefined };

function headers() {
  return {
    ...(session.project && { 'kind-project-key': session.project }),
    ...(session.access && { authorization: `Bearer ${session.access}` }),
  };
}

async function call(path, options = {}) {
  const response = await fetch(`${base}/api/lib/${path}`, {
    ...options,
    cache: 'no-store',
    credentials: 'omit',
    headers: { ...headers(), ...(options.body && { 'content-type': 'application/json' }) },
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new Error(body.messages?.map(({ text }) => text).join(' ') ?? `The service answers ${response.status}`);
}

function tell(text, mood = '') {
  element('status').textContent = text;
  element('status').className = mood;
}

/** The document as this page needs it: calls go to where the page came from. */
async function load() {
  const spec = await call('doc/openapi.json');
  return { ...spec, servers: [{ url: base || '/' }] };
}

let ui;

function show(spec) {
  element('ui').textContent = '';
  ui = window.SwaggerUIBundle({
    spec,
    domNode: element('ui'),
    docExpansion: Object.keys(spec.paths).length > 60 ? 'none' : 'list',
    // Every operation shows its own; a list of thousands is slow.
    defaultModelsExpandDepth: Object.keys(spec.components.schemas).length > 300 ? -1 : 0,
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor(request) {
      // What was typed into the page's own dialogs goes before.
      const given = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
      for (const [name, value] of Object.entries(headers())) if (!given.has(name)) request.headers[name] = value;
      return request;
    },
    responseInterceptor(response) {
      if (response.status === 401 && session.access) tell('The token is no longer good: sign in again.', 'bad');
      return response;
    },
    onComplete() {
      if (session.project) ui.preauthorizeApiKey('project', session.project);
      if (session.access) ui.preauthorizeApiKey('bearer', session.access);
    },
  });
}

async function signIn() {
  const { content } = await call('auth/signin', {
    method: 'POST',
    body: JSON.stringify({
      username: element('username').value.trim(),
      password: element('password').value,
      ...(element('otp').value && { otp: element('otp').value.trim() }),
    }),
  });
  if (content) {
    session.access = content.access_token;
    session.username = content.username ?? content.email;
  }
  return content !== null;
}

async function enter() {
  Object.assign(session, { project: element('project').value.trim(), access: undefined, username: '' });
  if (element('username').value !== '' && session.project !== '' && !(await signIn())) {
    element('code').hidden = false;
    element('otp').focus();
    tell('A code was mailed to you: type it in, and sign in once more.');
    return;
  }
  show(await load());
  element('password').value = element('otp').value = '';
  element('code').hidden = true;
  label();
  if (session.access)
    tell(`Signed in to ${session.project} as ${session.username}: every call below is made so.`, 'good');
  else if (session.project) tell(`What anyone may do in ${session.project}. Sign in for more.`);
  else tell('The routes of every project. Name a project and sign in to see its own kinds and to try calls.');
}

async function leave() {
  await call('auth/signout', { method: 'POST' }).catch(() => undefined);
  element('username').value = element('password').value = '';
  await enter();
}

function label() {
  element('enter').textContent = element('username').value === '' ? 'Open' : 'Sign in';
  element('leave').hidden = session.access === undefined;
}

async function busy(work) {
  element('enter').disabled = true;
  try {
    await work();
  } catch (error) {
    tell(error.message, 'bad');
  } finally {
    element('enter').disabled = false;
  }
}

element('access').addEventListener('submit', (event) => {
  event.preventDefault();
  void busy(enter);
});
element('leave').addEventListener('click', () => void busy(leave));
element('username').addEventListener('input', label);
void busy(enter);
