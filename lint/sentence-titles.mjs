const TESTS = wordsOf('it itOfPostgres itOnDesktop test');
const GROUPS = wordsOf('describe describeOfPostgres describeWithRedis');
const FEWEST_WORDS = 3;
/** Words that end in -s and are not verbs. */
const NO_VERBS = wordsOf(
  'across always as besides its less others perhaps plus sometimes this thus unless us was whereas yes',
);
/** Verbs of a plural subject, and words before a verb. */
const OTHER_VERBS = wordsOf('are can cannot do have may must neither never no only still');
/** A noun phrase does not begin with one of these. */
const NO_NOUNS = wordsOf(
  'after and as at before by for from how if in is of on that to what when where whether while who whose why',
);

/**
 * The title alone must tell which test failed. The group names the subject, as a noun, and the test says what the subject
 * does: `describe('A session')` and `it('returns 401 when it has expired')`. Titles of `each` tell the cases apart.
 */
export const sentenceTitles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      verb: 'Begin the title with a verb whose subject is the group: "returns 409 when the name is in use".',
      short: 'Write a sentence of at least three words.',
      noun: 'Name the subject of the tests with a noun: "A saved view".',
      cases: 'Put the values of the case into the title: "returns 422 for the limit %j".',
    },
  },
  create: (context) => ({
    CallExpression(node) {
      const { name, isEach, isLeftOut } = calledAs(node);
      const [title] = node.arguments;
      const text = textOf(title);
      if (text === undefined) return;
      if (isLeftOut) return;
      if (TESTS.has(name)) checkTest(context, title, text, isEach);
      else if (GROUPS.has(name)) checkGroup(context, title, text);
    },
  }),
};

function checkTest(context, node, text, isEach) {
  const words = text.trim().split(/\s+/);
  if (words.length < FEWEST_WORDS) context.report({ node, messageId: 'short' });
  else if (!isVerb(words[0])) context.report({ node, messageId: 'verb' });
  if (isEach && !/[%$]/.test(text)) context.report({ node, messageId: 'cases' });
}

function checkGroup(context, node, text) {
  const [first] = text.trim().split(/\s+/);
  if (NO_NOUNS.has(first.toLowerCase())) context.report({ node, messageId: 'noun' });
}

function isVerb(word) {
  // The value of a case may be the verb.
  if (/^[%$]/.test(word)) return true;
  const bare = word.replace(/[,:;]$/, '');
  return OTHER_VERBS.has(bare) || (/^[a-z-]+s$/.test(bare) && !NO_VERBS.has(bare));
}

/** `it(…)`, `it.skip(…)`, `it.each(cases)(…)` and `it.each<T>(cases)(…)`. */
function calledAs({ callee }) {
  let isEach = false;
  let called = callee;
  if (called.type === 'CallExpression' || called.type === 'TaggedTemplateExpression') {
    called = called.callee ?? called.tag;
    isEach = called.type === 'MemberExpression' && called.property.name === 'each';
  }
  // The title of a skipped test gives the reason.
  const isLeftOut = called.type === 'MemberExpression' && called.property.name === 'skip';
  while (called.type === 'MemberExpression') called = called.object;
  return { name: called.type === 'Identifier' ? called.name : '', isEach, isLeftOut };
}

/** A template counts as its text, with `%` for each value. */
function textOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('%');
  return undefined;
}

function wordsOf(text) {
  return new Set(text.split(' '));
}
