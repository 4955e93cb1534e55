/** What is shown while the console is not there. Without styles, which the policy of the page does not allow. */

export function buildingPage(): string {
  return page('The console is being built', 'It takes some seconds. This page shows it as soon as it is there.');
}

export function missingPage(): string {
  return page('The console is not built here', '<code>npm start</code> and <code>npm run build</code> build it.');
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p role="status">${text}</p>
    </main>
  </body>
</html>
`;
}
