/** The mail with a sign-in code. Pure. */
import { mailLine, type Mail } from '../mail.js';
import { markup } from '../markup.js';
import { layout } from './layout.js';

interface CodeMail {
  readonly to: string;
  /** The label of the project. */
  readonly project: string;
  readonly code: string;
  readonly minutes: number;
}

export function codeMail({ to, project, code, minutes }: CodeMail): Mail {
  const label = mailLine(project);
  const subject = `Your sign-in code for ${label}`;
  const text = `Your sign-in code for ${label}:

  ${code}

It is valid for ${minutes} minutes, and for one sign-in.
If you did not just sign in, somebody knows your password: change it.
`;
  const content = markup`<p>Your sign-in code for ${label}:</p>
<p style="font-size: 28px; letter-spacing: 4px"><b>${code}</b></p>
<p>It is valid for ${String(minutes)} minutes, and for one sign-in.</p>
<p>If you did not just sign in, somebody knows your password:
change it.</p>`;
  return { to, subject, text, html: layout(subject, content) };
}
