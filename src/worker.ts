/** The worker process: the same service with PROCESS_ROLE fixed. */
process.env.PROCESS_ROLE = 'worker';
await import('./main.js');
