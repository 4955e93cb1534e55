/** The layout of all mails: simple HTML for every reader, without images or external resources. Pure. */
import { markup, type Markup } from '../markup.js';

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
