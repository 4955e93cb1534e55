/** Mails: their texts, and the tag `markup`, which escapes every inserted text, so that no value becomes markup. Pure. */

/** A mail to be sent. Members choose nothing in it but the address, so nobody can send texts to others. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  /** Where answers go; one address, without a name. */
  readonly replyTo?: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A user's text as one line of at most 100 characters, without control and direction characters. */
export function mailLine(text: string): string {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return [...line].slice(0, 100).join('');
}

/** A name that somebody chose, as such a line, in which mail programs find no address to open. */
function nameLine(name: string): string {
  return mailLine(name.replace(/[.:/@\u3002\uff0e](?=\S)/gu, ' '));
}

/** The same in quotes, as a part of a sentence: it cannot end them and go on as our own text. */
export function quotedName(name: string): string {
  return `"${nameLine(name).replace(/["\u201e\p{Pi}\p{Pf}]/gu, "'")}"`;
}

export class Markup {
  constructor(readonly text: string) {}
}

export function markup(strings: TemplateStringsArray, ...values: readonly (string | Markup)[]): Markup {
  const parts = values.map((value, at) => escapeHtml(value) + (strings[at + 1] ?? ''));
  return new Markup((strings[0] ?? '') + parts.join(''));
}

function escapeHtml(value: string | Markup): string {
  return value instanceof Markup
    ? value.text
    : value.replace(/[&<>"']/g, (character) => HTML_ENTITIES.get(character) ?? '');
}

const HTML_ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

const BODY = 'font: 16px/1.5 sans-serif; color: #222; max-width: 36em';

/** A complete HTML mail around its paragraphs. Lines stay short, so that stored mails can be read. */
export function layout(title: string, content: Markup): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
</head>
<body style="${BODY}">
${content}
</body>
</html>
`.text;
}

interface CodeMail {
  readonly to: string;
  /** The label of the project. */
  readonly project: string;
  readonly code: string;
  readonly minutes: number;
}

/** The code of a second step, after the password. */
export function codeMail(code: CodeMail): Mail {
  return mailWithCode(code, 'If you did not just sign in, somebody knows your password: change it.');
}

/** The code that takes the place of the password. */
export function signInCodeMail(code: CodeMail): Mail {
  return mailWithCode(code, 'If you did not ask for it, do nothing: nobody signs in without it. Tell it to nobody.');
}

function mailWithCode({ to, project, code, minutes }: CodeMail, warning: string): Mail {
  const label = nameLine(project);
  const subject = `Your sign-in code for ${label}`;
  const text = `Your sign-in code for ${label}:

  ${code}

It is valid for ${minutes} minutes, and for one sign-in.
${warning}
`;
  const content = markup`<p>Your sign-in code for ${label}:</p>
<p style="font-size: 28px; letter-spacing: 4px"><b>${code}</b></p>
<p>It is valid for ${String(minutes)} minutes, and for one sign-in.</p>
<p>${warning}</p>`;
  return { to, subject, text, html: layout(subject, content) };
}

interface NoticeMail {
  readonly to: string;
  /** The label of the project. */
  readonly project: string;
  /** What has changed, as a sentence. */
  readonly text: string;
}

/** Tells a member what has changed of its ways to sign in. */
export function noticeMail({ to, project, text: notice }: NoticeMail): Mail {
  const label = nameLine(project);
  const subject = `A change of your sign-in for ${label}`;
  const text = `${notice}

If it was not you, tell an administrator of ${label}, and set a new password.
`;
  const content = markup`<p>${notice}</p>
<p>If it was not you, tell an administrator of ${label},
and set a new password.</p>`;
  return { to, subject, text, html: layout(subject, content) };
}

interface VerificationMail {
  readonly to: string;
  /** The label of the project. */
  readonly project: string;
  readonly code: string;
  /** The address of the page, made from PUBLIC_URL and never from a request. */
  readonly link: string;
  readonly hours: number;
}

/** With it the reader proves that the address is theirs. */
export function verificationMail({ to, project, code, link, hours }: VerificationMail): Mail {
  const label = nameLine(project);
  const subject = `Verify your e-mail address for ${label}`;
  const text = `Somebody, probably you, gave this e-mail address to ${label}.

Verify it within ${hours} hours with this code, where the application asks for it:

  ${code}

or with your password at

${link}

If it was not you, do nothing.
`;
  const content = markup`<p>Somebody, probably you, gave this e-mail address to
${label}.</p>
<p>Verify it within ${String(hours)} hours with this code, where the application
asks for it:</p>
<p style="font-size: 28px; letter-spacing: 4px"><b>${code}</b></p>
<p>or with your password at</p>
<p><a href="${link}">${link}</a></p>
<p>If it was not you, do nothing.</p>`;
  return { to, subject, text, html: layout(subject, content) };
}

interface RecoveryMail {
  readonly to: string;
  /** The label of the project. */
  readonly project: string;
  /** The key of the project, which the page behind the link needs. */
  readonly key: string;
  readonly token: string;
  /** The address of the page, made from PUBLIC_URL and never from a request. */
  readonly link: string;
  readonly minutes: number;
}

export function recoveryMail({ to, project, key, token, link, minutes }: RecoveryMail): Mail {
  const label = nameLine(project);
  const subject = `A new password for ${label}`;
  const text = `Somebody, probably you, asked for a new password for ${label}.

Set it within ${minutes} minutes at

${link}

where the project's key is ${key},
or give this token where the application asks for it:

${token}

It can be used once. If it was not you, do nothing:
your password stays as it is.
`;
  const content = markup`<p>Somebody, probably you, asked for a new password
for ${label}.</p>
<p>Set it within ${String(minutes)} minutes at</p>
<p><a href="${`${link}#${key}`}">${link}</a></p>
<p>or give this token where the application asks for it:</p>
<p style="font-size: 20px"><code>${token}</code></p>
<p>It can be used once. If it was not you, do nothing:
your password stays as it is.</p>`;
  return { to, subject, text, html: layout(subject, content) };
}
