import 'reflect-metadata';
import { CommanderError } from 'commander';
import { buildProgram } from './cli/program.js';

/** Exit codes: 0 done, 1 failed, 2 wrong usage, 78 wrong configuration. `diff` also has 3: something differs. */
const USAGE_ERROR = 2;

buildProgram(process.env)
  .parseAsync()
  .catch((error: unknown) => {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has printed its message. Help that was asked for is no error.
    process.exitCode = error.exitCode === 0 ? 0 : USAGE_ERROR;
  });
