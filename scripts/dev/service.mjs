// A process of `npm run dev` that has loaded every package. When its parent sends the path of the main file, it becomes
// the service and has only the service's own code left to load.
import { readFileSync } from 'node:fs';

const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

for (const name of Object.keys(dependencies)) await import(name);
process.once('message', async (main) => {
  await import(main);
  // The open IPC channel would keep the process alive.
  process.send('up', () => process.disconnect());
});
process.send('warm');
