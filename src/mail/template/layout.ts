/** What all mails look like: plain enough for every reader, no images, nothing that is loaded from elsewhere. Pure. */
import { markup, type Markup } from '../markup.js';

const BODY = 'font: 16px/1.5 sans-serif; color: #222; max-width: 36em';

/** A whole HTML mail around its paragraphs. Lines stay short, so that mails can be read as they are stored. */
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
