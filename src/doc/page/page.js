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

/** The document of some kinds as this page needs it: calls go to where the page came from. */
async function load(kinds) {
  const spec = await call(`doc/openapi.json?kinds=${kinds.join(',')}`);
  return { ...spec, servers: [{ url: base || '/' }] };
}

/** A body of another kind inside a body: an object in place of an id, which is created along. */
const NESTED_BODY = /^#\/components\/schemas\/(.+)\.create$/;

/** A copy in which `replace` answers what stands for each reference. */
function mapReferences(value, replace) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => mapReferences(each, replace));
  if (typeof value.$ref === 'string') return replace(value.$ref);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapReferences(each, replace)]));
}

/**
 * What a document says under one tag, with all that this refers to. A body inside a body is named and not described:
 * Swagger UI writes out every reference, which takes it half a minute where two hundred kinds refer to each other.
 */
function partOf(spec, tag) {
  const isOfTag = ([, operation]) => operation.tags.includes(tag);
  const items = Object.entries(spec.paths)
    .map(([path, item]) => [path, Object.fromEntries(Object.entries(item).filter(isOfTag))])
    .filter(([, item]) => Object.keys(item).length > 0);
  const components = { securitySchemes: spec.components.securitySchemes };
  const waiting = [];
  const refer = (reference) => {
    const [, , section, name] = reference.split('/');
    const known = (components[section] ??= {});
    if (!Object.hasOwn(known, name)) {
      known[name] = spec.components[section][name];
      waiting.push([known, name]);
    }
    return { $ref: reference };
  };
  const paths = mapReferences(Object.fromEntries(items), refer);
  for (const [known, name] of waiting) {
    known[name] = mapReferences(known[name], (reference) => {
      const [, kind] = NESTED_BODY.exec(reference) ?? [];
      return kind ? { type: 'object', description: `What a create of \`${kind}\` takes.` } : refer(reference);
    });
  }
  return { ...spec, paths, components, tags: spec.tags.filter(({ name }) => name === tag) };
}

/** The tag that was chosen last, and how many were asked for. */
let wished = '';
let asked = 0;

/** Lets one choose among the tags of a document that has no kind's own operations: that of a kind is loaded when it is chosen. */
async function showParts(spec) {
  const select = element('tag');
  const { tags } = spec;
  const chosen = tags.find(({ name }) => name === wished) ?? tags.find((tag) => tag['x-kinds']) ?? tags[0];
  select.replaceChildren(...tags.map(({ name }) => new Option(name, name)));
  select.value = chosen.name;
  const showTag = async (tag) => {
    const turn = ++asked;
    element('ui').textContent = '';
    const whole = tag['x-kinds'] ? await load(tag['x-kinds']) : spec;
    // Another one may have been chosen meanwhile.
    if (turn === asked) show(partOf(whole, tag.name));
  };
  select.onchange = () => {
    wished = select.value;
    void busy(() => showTag(tags.find(({ name }) => name === wished)));
  };
  await showTag(chosen);
}

let ui;

/** In a place of its own, so that nothing is left of what was shown before. */
function show(spec) {
  const place = document.createElement('div');
  element('ui').replaceChildren(place);
  ui = window.SwaggerUIBundle({
    spec,
    domNode: place,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
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
  await showParts(await load([]));
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
