// A process of `npm run dev` that has read every package already and becomes the service when it is told its main file:
// what is left of a start is the service's own code.
import { readFileSync } from 'node:fs';

const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

for (const name of Object.keys(dependencies)) await import(name);
process.once('message', async (main) => {
  await import(main);
  // Its end of the line would keep it from ending by itself.
  process.send('up', () => process.disconnect());
});
process.send('warm');
