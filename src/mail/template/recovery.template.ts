/** The mail with a password recovery token. Pure. */
import { mailLine, type Mail } from '../mail.js';
import { markup } from '../markup.js';
import { layout } from './layout.js';

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
  const label = mailLine(project);
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
