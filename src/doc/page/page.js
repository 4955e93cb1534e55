// The documentation page: a form to choose a project and sign in, and Swagger UI. Tokens are only in the page's memory.
'use strict';

const element = (id) => document.getElementById(id);
/** The address of the service as the browser sees it, also behind proxies. */
const base = location.origin + location.pathname.replace(/\/api\/lib\/doc\/swaggerui$/, '');

/** `isShared`: the session is that of the console, whose refresh token is in a cookie that scripts cannot read. */
const session = { project: '', username: '', access: undefined, isShared: false };
const IN_COOKIE = { 'kind-refresh-token': 'cookie' };

function headers() {
  return {
    ...(session.project && { 'kind-project-key': session.project }),
    ...(session.access && { authorization: `Bearer ${session.access}` }),
  };
}

async function call(path, { withCookie = false, ...options } = {}) {
  const response = await fetch(`${base}/api/lib/${path}`, {
    ...options,
    cache: 'no-store',
    credentials: withCookie ? 'same-origin' : 'omit',
    headers: {
      ...headers(),
      ...(options.body && { 'content-type': 'application/json' }),
      ...(withCookie && IN_COOKIE),
    },
  });
  const body = await response.json();
  if (response.ok) return body;
  throw new Error(body.messages?.map(({ text }) => text).join(' ') ?? `The service answers ${response.status}`);
}

function showStatus(text, mood = '') {
  element('status').textContent = text;
  element('status').className = mood;
}

/** Loads the document of some kinds. Its server is the origin of this page. */
async function load(kinds) {
  const spec = await call(`doc/openapi.json?kinds=${kinds.join(',')}`);
  return { ...spec, servers: [{ url: base || '/' }] };
}

/** The reference to the body of a nested unit, which may replace an id. */
const NESTED_BODY = /^#\/components\/schemas\/(.+)\.create$/;

/** A copy of a value in which each reference is replaced by the result of `replace`. */
function mapReferences(value, replace) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => mapReferences(each, replace));
  if (typeof value.$ref === 'string') return replace(value.$ref);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapReferences(each, replace)]));
}

/**
 * The part of a document with the operations of one tag, and everything that they refer to. Bodies inside bodies are only
 * named: Swagger UI expands every reference, which takes half a minute if two hundred kinds refer to each other.
 */
function documentOfTag(spec, tag) {
  const isOfTag = ([, operation]) => operation.tags.includes(tag);
  const items = Object.entries(spec.paths)
    .map(([path, item]) => [path, Object.fromEntries(Object.entries(item).filter(isOfTag))])
    .filter(([, item]) => Object.keys(item).length > 0);
  const components = { securitySchemes: spec.components.securitySchemes };
  const unresolved = [];
  const refer = (reference) => {
    const [, , section, name] = reference.split('/');
    const known = (components[section] ??= {});
    if (!Object.hasOwn(known, name)) {
      known[name] = spec.components[section][name];
      unresolved.push([known, name]);
    }
    return { $ref: reference };
  };
  const paths = mapReferences(Object.fromEntries(items), refer);
  for (const [known, name] of unresolved) {
    known[name] = mapReferences(known[name], (reference) => {
      const [, kind] = NESTED_BODY.exec(reference) ?? [];
      return kind ? { type: 'object', description: `What a create of \`${kind}\` takes.` } : refer(reference);
    });
  }
  return { ...spec, paths, components, tags: spec.tags.filter(({ name }) => name === tag) };
}

/** The tag that was chosen last, and the number of tags shown so far. */
let chosenTag = '';
let shownTags = 0;

/** Shows the choice of tags. The document of a kind is loaded when its tag is chosen. */
async function showTags(spec) {
  const select = element('tag');
  const { tags } = spec;
  const chosen = tags.find(({ name }) => name === chosenTag) ?? tags.find((tag) => tag['x-kinds']) ?? tags[0];
  select.replaceChildren(...tags.map(({ name }) => new Option(name, name)));
  select.value = chosen.name;
  const showTag = async (tag) => {
    const turn = ++shownTags;
    element('ui').textContent = '';
    const complete = tag['x-kinds'] ? await load(tag['x-kinds']) : spec;
    // Another tag may have been chosen in the meantime.
    if (turn === shownTags) show(documentOfTag(complete, tag.name));
  };
  select.onchange = () => {
    chosenTag = select.value;
    void busy(() => showTag(tags.find(({ name }) => name === chosenTag)));
  };
  await showTag(chosen);
}

let ui;

/** Replaces the previous Swagger UI, with a new element so that nothing of it is left. */
function show(spec) {
  const container = document.createElement('div');
  element('ui').replaceChildren(container);
  ui = window.SwaggerUIBundle({
    spec,
    domNode: container,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    validatorUrl: null,
    requestInterceptor(request) {
      // Headers from the dialogs of Swagger UI take precedence.
      const present = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
      for (const [name, value] of Object.entries(headers())) if (!present.has(name)) request.headers[name] = value;
      return request;
    },
    responseInterceptor(response) {
      if (response.status === 401 && session.access) void signInAgain();
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

/** Continues the session that the console has in this browser; false if there is none. */
async function continueSession() {
  try {
    session.access = undefined;
    const { content } = await call('auth/refresh', { method: 'POST', withCookie: true });
    Object.assign(session, { access: content.access_token, username: content.username, isShared: true });
    return true;
  } catch {
    return false;
  }
}

async function signInAgain() {
  if (session.isShared && (await continueSession()))
    showStatus('The token was no longer good, and has been replaced: send the call again.', 'good');
  else showStatus('The token is no longer good: sign in again.', 'bad');
}

/** The project that the console opens the page with. */
async function openLinked(project) {
  element('project').value = session.project = project;
  if (!(await continueSession())) return openProject();
  await showProject();
}

async function openProject() {
  Object.assign(session, {
    project: element('project').value.trim(),
    access: undefined,
    username: '',
    isShared: false,
  });
  if (element('username').value !== '' && session.project !== '' && !(await signIn())) {
    element('code').hidden = false;
    element('otp').focus();
    showStatus('A code was mailed to you: type it in, and sign in once more.');
    return;
  }
  await showProject();
}

async function showProject() {
  await showTags(await load([]));
  element('password').value = element('otp').value = '';
  element('code').hidden = true;
  updateButtons();
  if (session.access)
    showStatus(`Signed in to ${session.project} as ${session.username}: every call below is made so.`, 'good');
  else if (session.project) showStatus(`What anyone may do in ${session.project}. Sign in for more.`);
  else showStatus('The routes of every project. Name a project and sign in to see its own kinds and to try calls.');
}

async function signOut() {
  await call('auth/signout', { method: 'POST', withCookie: session.isShared }).catch(() => undefined);
  element('username').value = element('password').value = '';
  await openProject();
}

function updateButtons() {
  element('enter').textContent = element('username').value === '' ? 'Open' : 'Sign in';
  element('leave').hidden = session.access === undefined;
}

async function busy(work) {
  element('enter').disabled = true;
  try {
    await work();
  } catch (error) {
    showStatus(error.message, 'bad');
  } finally {
    element('enter').disabled = false;
  }
}

element('access').addEventListener('submit', (event) => {
  event.preventDefault();
  void busy(openProject);
});
element('leave').addEventListener('click', () => void busy(signOut));
element('username').addEventListener('input', updateButtons);
const linked = new URLSearchParams(location.hash.slice(1)).get('project');
void busy(linked ? () => openLinked(linked) : openProject);
