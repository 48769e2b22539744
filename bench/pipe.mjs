// The least that a file server can do: it writes a body durably to a file, and sends a file as an answer.
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = process.env.PIPE_FOLDER ?? (await mkdtemp(join(tmpdir(), 'bench-pipe-')));
const file = join(folder, 'content');

const server = createServer(async (request, response) => {
  try {
    if (request.method === 'PUT') {
      await pipeline(request, createWriteStream(file));
      const written = await open(file, 'r+');
      await written.sync();
      await written.close();
      response.end('{}');
    } else {
      response.setHeader('Content-Length', (await stat(file)).size);
      await pipeline(createReadStream(file), response);
    }
  } catch {
    response.destroy();
  }
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
process.once('SIGTERM', () => server.close(() => process.exit(0)));
