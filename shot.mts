import { createServer } from 'node:http';
import { serveGuide } from './src/guide/serve.ts';
import { launchBrowser } from './test/harness/browser.ts';
const server = createServer(async (req, res) => {
  try { const r = await serveGuide(new Request('http://x'+req.url, {headers: {'accept-encoding':'gzip'}}), req.url!.split('?')[0]);
  res.writeHead(r.status, Object.fromEntries(r.headers)); res.end(Buffer.from(await r.arrayBuffer())); } catch (e) { res.writeHead(404); res.end(String(e)); }
}).listen(0);
const url = `http://127.0.0.1:${(server.address() as any).port}`;
const b = await launchBrowser();
for (const [path, w, scheme] of JSON.parse(process.argv[2]!)) {
  const p = await b.newPage({ viewport: { width: w, height: 900 }, colorScheme: scheme });
  p.on('console', (m) => console.log(path, m.text())); p.on('pageerror', (e) => console.log(path, String(e)));
  await p.goto(url + path);
  if (process.argv[3]) { await p.fill('#search input', process.argv[3]); await p.waitForTimeout(700); }
  console.log(path, w, await p.evaluate(() => document.documentElement.scrollWidth));
  await p.screenshot({ path: `/tmp/i-${path.split('/').pop()}-${w}-${scheme}.png` });
}
await b.close(); server.close();
