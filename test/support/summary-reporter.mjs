// Prints the end of a run: its minutes, the files that TEST_START_UNTIL left out, the skipped tests with the reasons,
// and with TEST_SLOWEST=<n> the n slowest files and tests. Writes the counts as JSON to the file that SUMMARY_REPORT_FILE names.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

export default class SummaryReporter {
  constructor({ rootDir, testNamePattern }) {
    this.rootDir = rootDir;
    this.isSelection = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const file = process.env.SUMMARY_REPORT_FILE;
    if (!file) return;
    // A file that could not be loaded ran none of its tests; it counts as one failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed }));
    console.log(`Minutes: ${((Date.now() - results.startTime) / 60_000).toFixed(1)}`);
    this.listSlowest(results.testResults);
    // A test that a name pattern excludes is also pending.
    if (this.isSelection) return;
    const late = results.testResults.filter(wasTooLate);
    listLeftOut(results.testResults.filter((file) => !late.includes(file)));
    for (const file of late) console.log(`Left out for lack of time: ${this.pathOf(file)}`);
  }

  pathOf({ testFilePath }) {
    return relative(this.rootDir, testFilePath);
  }

  listSlowest(files) {
    const count = Number(process.env.TEST_SLOWEST ?? 0);
    if (count === 0) return;
    const tests = files.flatMap((file) =>
      file.testResults.map(({ fullName, duration }) => [duration ?? 0, `${this.pathOf(file)}: ${fullName}`]),
    );
    list(
      `The ${count} slowest files, in seconds:`,
      count,
      files.map((file) => [file.perfStats.runtime, this.pathOf(file)]),
    );
    list(`The ${count} slowest tests, in seconds:`, count, tests);
  }
}

/** The environment leaves out all tests of such a file. */
function wasTooLate({ perfStats, testResults }) {
  const isOver = perfStats.end > Number(process.env.TEST_START_UNTIL ?? Infinity);
  return isOver && testResults.every(({ status }) => status === 'pending');
}

function list(title, count, rows) {
  console.log(title);
  const slowest = rows.sort(([one], [other]) => other - one).slice(0, count);
  for (const [ms, name] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)}  ${name}`);
}

/** Prints each reason once, because several files may have the same one. */
function listLeftOut(files) {
  const names = files.flatMap((file) =>
    file.testResults.filter(({ status }) => status === 'pending').map(({ fullName }) => fullName),
  );
  for (const name of new Set(names)) console.log(`Left out: ${name}`);
}
