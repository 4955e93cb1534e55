/** Mails say what they say, whatever the texts that are put in look like. */
import { describe, expect, it } from 'vitest';
import { codeMail, mailLine, markup, quotedName, recoveryMail } from '../../../src/mail/mail-texts.js';
import { isEmailAddress } from '../../../src/shared/email.js';

const hostile = [
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7} {% raw %}',
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '"><a href="http://evil.example">here</a>',
  'a\r\nBcc: evil@example.com\r\n\r\nanother body',
  'a\u2028b\u0000c\u202egnp.exe',
];

const TO = { to: 'a@example.com', key: 'demo' };

describe.each(hostile)('a project that is called %j', (project) => {
  const mails = [
    codeMail({ to: 'a@example.com', project, code: '012345', minutes: 10 }),
    recoveryMail({ ...TO, project, token: 'T'.repeat(22), link: 'http://kind.example/x', minutes: 60 }),
  ];

  it.each(mails)('changes nothing of "$subject"', ({ subject, text, html: page }) => {
    expect(subject).not.toMatch(/[\r\n\u0000\u2028\u202e]/);
    for (const part of [subject, text, page]) expect(part).not.toMatch(/49|evil\.example|evil@/);
    expect(page).not.toMatch(/<script|<img/);
    expect(text.split('\n').some((line) => line.startsWith('Bcc'))).toBe(false);
    expect(text.split('\n').length).toBeLessThan(20);
  });
});

it('a mail with a code has the six digits in each part', () => {
  const { text, html: page } = codeMail({ to: 'a@example.com', project: 'Demo', code: '012345', minutes: 10 });
  for (const part of [text, page]) expect(part.match(/\d{6}/g)).toEqual(['012345']);
});

it('a mail with a token has the token and the link on separate lines', () => {
  const token = 'T'.repeat(22);
  const link = `http://127.0.0.1:3000/api/lib/auth/reset_password/${token}`;
  const { text, html: page } = recoveryMail({ ...TO, project: 'Demo', token, link, minutes: 60 });
  expect(text.split('\n')).toEqual(expect.arrayContaining([link, token]));
  expect(page).toContain(`href="${link}#${TO.key}"`);
  expect(text).toContain(`project's key is ${TO.key},\n`);
  // Short enough for mails to stay readable as they are stored.
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(76);
});

it('markup escapes texts, and keeps markup', () => {
  expect(markup`<p title="${`"'`}">${'a<b>&'} ${markup`<b>${'<'}</b>`}</p>`.text).toBe(
    '<p title="&quot;&#39;">a&lt;b&gt;&amp; <b>&lt;</b></p>',
  );
});

it('a line has no line breaks and limited length', () => {
  expect(mailLine(' a\t\r\n b\u0007c ')).toBe('a b c');
  expect([...mailLine('😀'.repeat(300))].length).toBe(100);
});

it.each([
  ['Corp', '"Corp"'],
  ["Ann's R & D, Inc.", '"Ann\'s R & D, Inc."'],
  ['a\n\nb\u202ec', '"a b c"'],
  ['https://evil.example/login', '"https evil example login"'],
  ['me@evil。example．com', '"me evil example com"'],
  ['Corp" was removed. “Sign in„ with «me»', `"Corp' was removed. 'Sign in' with 'me'"`],
])('the name %j stands as %s in a sentence', (name, quoted) => expect(quotedName(name)).toBe(quoted));

it.each(['a@example.com', "o'hara+tag@sub.example.com", 'ü@bücher.example', 'a@localhost'])(
  '%s is an address',
  (text) => expect(isEmailAddress(text)).toBe(true),
);

it.each([
  ...[
    '',
    'a',
    '@',
    'a@',
    '@b',
    'a@b@c',
    'a b@c',
    'a@b c',
    'a@b\r\nBcc: x',
    'a@b,c',
    'a,b@c',
    'a@b;c',
    'a<b@c>',
    '"a b"@c',
  ],
  ...['a@b>', 'a(b)@c', 'a@[127.0.0.1]', 'a:b@c', 'a\\@b', 'a@b\u0000', 'a\u202e@b', 'a@b\u00a0', 'x: a@b;'],
])('%j is no address', (text) => expect(isEmailAddress(text)).toBe(false));
