// Takes the spans of a service, and keeps nothing.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end());
}).listen(Number(process.env.PORT ?? 0), '127.0.0.1', function announce() {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${this.address().port}` })}\n`);
});
