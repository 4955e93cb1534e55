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

/** Operations that Swagger UI shows at once; of more it takes minutes. */
const MOST = 300;

const operationsOf = ({ paths }) => Object.values(paths).flatMap((item) => Object.values(item));

/** What a document says under one tag, with all that this refers to. */
function partOf(spec, tag) {
  const isOfTag = ([, operation]) => operation.tags.includes(tag);
  const items = Object.entries(spec.paths).map(([path, item]) => [
    path,
    Object.fromEntries(Object.entries(item).filter(isOfTag)),
  ]);
  const paths = Object.fromEntries(items.filter(([, item]) => Object.keys(item).length > 0));
  const components = { securitySchemes: spec.components.securitySchemes };
  const waiting = [paths];
  for (let value = waiting.pop(); value; value = waiting.pop()) {
    for (const [key, each] of Object.entries(value)) {
      if (each !== null && typeof each === 'object') waiting.push(each);
      if (key !== '$ref') continue;
      const [, , section, name] = each.split('/');
      const known = (components[section] ??= {});
      if (Object.hasOwn(known, name)) continue;
      known[name] = spec.components[section][name];
      waiting.push(known[name]);
    }
  }
  return { ...spec, paths, components, tags: spec.tags.filter(({ name }) => name === tag) };
}

/** A large document is shown part by part. */
function showParts(spec) {
  const select = element('tag');
  const [chosen, names] = [select.value, spec.tags.map(({ name }) => name)];
  const large = operationsOf(spec).length > MOST;
  element('part').hidden = !large;
  select.replaceChildren(...(large ? names : []).map((name) => new Option(name, name)));
  if (names.includes(chosen)) select.value = chosen;
  select.onchange = () => show(partOf(spec, select.value));
  show(large ? partOf(spec, select.value) : spec);
}

let ui;

function show(spec) {
  element('ui').textContent = '';
  ui = window.SwaggerUIBundle({
    spec,
    domNode: element('ui'),
    docExpansion: operationsOf(spec).length > 60 ? 'none' : 'list',
    defaultModelsExpandDepth: 0,
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
  showParts(await load());
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
