import { cutText, Excerpts, type SecretNames } from './excerpt.js';
import { Faults, unsafeText, type Failure } from './fault.js';
import { MAX_ISSUES, type Issue } from './issue.js';
import { isSafeText } from './safe-text.js';

/** Converts a failure to at most `MAX_ISSUES` rows, in the order in which the fields were read. */
export function toIssues(failure: Failure, loc: readonly (string | number)[], names: SecretNames): Issue[] {
  const issues: Issue[] = [];
  collect(failure, [...loc], false, new Excerpts(names), issues);
  return issues;
}

function collect(
  failure: Failure,
  loc: (string | number)[],
  secret: boolean,
  excerpts: Excerpts,
  issues: Issue[],
): void {
  if (failure instanceof Faults) {
    for (const member of failure.members) {
      if (issues.length >= MAX_ISSUES) return;
      loc.push(typeof member.key === 'string' ? cutText(member.key) : member.key);
      collect(member.fault, loc, secret || member.secret, excerpts, issues);
      loc.pop();
    }
    return;
  }
  // Text that cannot be stored is always reported for that reason, even if it also breaks another rule.
  const { type, msg, input, ctx } =
    typeof failure.input === 'string' && !isSafeText(failure.input) ? unsafeText(failure.input) : failure;
  issues.push({ type, loc: [...loc], msg, input: excerpts.of(input, secret), ...(ctx && { ctx }) });
}
