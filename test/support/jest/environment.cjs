// The environment of every spec file: the worker's own realm, so that the service and its packages, which Node loads
// once for a worker (runtime.cjs), are of one piece with the tests. What a file leaves behind in it is put back here.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** When this time (milliseconds since 1970) is over, the tests of a further file are left out. */
const START_UNTIL = Number(process.env.TEST_START_UNTIL ?? Infinity);
const NO_TITLE = /(?!)/;

/** Jest's own modules start anew for each file and take what a former file's left here for theirs. */
const OF_ONE_FILE = /jest|EVENT_HANDLERS|TEST_TIMEOUT|RETRY/i;

module.exports = class SharedRealm {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** The timers of old, which nobody asks for. */
  fakeTimers = null;
  fakeTimersModern;
  before = {
    environment: { ...process.env },
    console: globalThis.console,
    exit: process.exit,
    getBuiltinModule: process.getBuiltinModule,
    listeners: new Map(process.eventNames().map((name) => [name, process.rawListeners(name)])),
  };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // Jest reads the time by this even where a test has stopped the clock.
    globalThis[Symbol.for('jest-native-now')] = Date.now.bind(Date);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  /** Only asked whether there is one still: see runtime.cjs. */
  getVmContext() {
    return this.global === null ? null : globalThis;
  }

  async setup() {}

  /** Jest calls this. A file may print more about a failed test: see failed-test.ts. */
  async handleTestEvent({ name }, state) {
    // As with "-t", the hooks of tests that are left out do not run either.
    if (name === 'run_start' && Date.now() > START_UNTIL) state.testNamePattern = NO_TITLE;
    if (name === 'test_fn_failure') await globalThis.tellOfFailedTest?.();
  }

  async teardown() {
    const { environment, console, exit, getBuiltinModule, listeners } = this.before;
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    globalThis.console = console;
    process.exit = exit;
    if (getBuiltinModule !== undefined) process.getBuiltinModule = getBuiltinModule;
    for (const name of process.eventNames()) {
      const known = listeners.get(name) ?? [];
      for (const listener of process.rawListeners(name)) {
        if (!known.includes(listener)) process.removeListener(name, listener);
      }
    }
    for (const key of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_ONE_FILE.test(String(key.description))) Reflect.deleteProperty(globalThis, key);
    }
    delete globalThis.tellOfFailedTest;
    this.global = null;
  }
};
