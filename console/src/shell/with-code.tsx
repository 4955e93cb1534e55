/** A text with names of the API in backticks, which are shown as code. */
export function WithCode({ children: text }: { children: string }) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
