// Writes the counts of a run as JSON to the file that SUMMARY_REPORT_FILE names, and names the tests that were left out,
// unless somebody asked for some by name.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  constructor({ testNamePattern }) {
    this.isSelection = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, results) {
    const file = process.env.SUMMARY_REPORT_FILE;
    if (!file) return;
    // A file that could not be loaded ran none of its tests; it counts as one failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed }));
    if (this.isSelection) return;
    const leftOut = results.testResults.flatMap((one) => one.testResults.filter(({ status }) => status === 'pending'));
    for (const { fullName } of leftOut) console.log(`Left out: ${fullName}`);
  }
}
