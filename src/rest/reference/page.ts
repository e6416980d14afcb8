// The page of the API reference: its HTML, its content security policy, its style, and the script that starts Swagger UI in the browser.

/** Everything comes from this server, and nothing is inline. Swagger UI draws its icons from data. */
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Addresses of the page's assets. */
interface Files {
  styles: readonly string[];
  scripts: readonly string[];
}

export const renderReferencePage = ({ styles, scripts }: Files): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Muster: REST reference</title>
<link rel="icon" href="data:,">
${styles.map((path) => `<link rel="stylesheet" href="${path}">`).join('\n')}
</head>
<body>
<noscript>The reference needs JavaScript. <a href="/openapi.json">The document</a> does not.</noscript>
<main id="reference"></main>
${scripts.map((path) => `<script src="${path}"></script>`).join('\n')}
</body>
</html>
`;

export const style = `
body { margin: 0; }
`;

/**
 * Runs in the browser. The token lives in the page's memory alone: a reload forgets it. \`#token=…\` in the address presets it, and leaves the
 * address at once.
 */
export const startScript = `{
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) history.replaceState(null, '', location.pathname + location.search);
  const ui = SwaggerUIBundle({
    url: '/openapi.json',
    domNode: document.querySelector('#reference'),
    presets: [SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    deepLinking: true,
    tryItOutEnabled: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    validatorUrl: null,
    onComplete: () => token && ui.preauthorizeApiKey('bearer', token),
  });
}
`;
