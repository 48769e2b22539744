// Writes the counts of a run as JSON to the file that SUMMARY_REPORT_FILE names.
import { writeFileSync } from 'node:fs';

export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const file = process.env.SUMMARY_REPORT_FILE;
    if (!file) return;
    // A file that could not be loaded ran none of its tests; it counts as one failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    writeFileSync(file, JSON.stringify({ passed: results.numPassedTests, failed }));
  }
}
