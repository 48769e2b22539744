// A server that parses one JSON body and sends it back, on Node's own HTTP server: the lower limit of all other
// servers.
import { createServer } from 'node:http';

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    const body = JSON.stringify(bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8')));
    response.setHeader('Content-Type', 'application/json');
    response.setHeader('Content-Length', Buffer.byteLength(body));
    response.end(body);
  });
}).listen(Number(process.env.PORT ?? 0), '127.0.0.1', function announce() {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${this.address().port}` })}\n`);
});
