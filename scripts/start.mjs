// npm start: builds when needed, then becomes the service. The service runs in this same process, so that signals, the
// exit code and a kill need not be passed on. Settings come only from the environment; no file is read.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const build = spawnSync(process.execPath, [fileURLToPath(new URL('build.mjs', import.meta.url)), '--if-needed'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (build.status !== 0) {
  console.error('The service could not be built and was not started.');
  process.exit(1);
}
await import('../dist/src/main.js');
