import { OIDC_NAME, OIDC_SETTINGS, oidcVariable } from './oidc-providers.js';
import { type Variable, VARIABLES } from './variables.js';

type Listed = Pick<Variable<unknown>, 'description' | 'shownDefault' | 'takesFile'>;
type Named = readonly [name: string, variable: Listed];

/**
 * The group of the variables whose names contain the name of a provider. It is listed after the group `BEFORE_OIDC`.
 */
const OIDC_GROUP = 'OpenID Connect providers';
const BEFORE_OIDC = 'Sign-in providers';

/**
 * Returns the variables by group, and those of OpenID Connect providers with a pattern for their names. Groups and
 * variables have the order in which they first appear.
 */
function byGroup(): [group: string, variables: Named[]][] {
  const groups = new Map<string, Named[]>();
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const variables = groups.get(variable.group) ?? [];
    variables.push([name, variable]);
    groups.set(variable.group, variables);
  }
  return [...groups].flatMap(([group, variables]) =>
    group === BEFORE_OIDC
      ? [
          [group, variables],
          [OIDC_GROUP, OIDC_SETTINGS.map((each) => [oidcVariable(OIDC_NAME, each.suffix), each])],
        ]
      : [[group, variables]],
  );
}

/** Returns the text of `.env.example`: every name by group, commented out, with its default. */
export function renderEnvExample(): string {
  const groups = byGroup().map(([group, variables]) => {
    const lines = variables.map(
      ([name, { description, shownDefault, takesFile }]) =>
        `# ${description}\n#${name}=${shownDefault}\n${takesFile ? `#${name}_FILE=\n` : ''}`,
    );
    return `## ${group}\n${lines.join('')}`;
  });
  return `# No file is read by the service itself: put what you change into a file and export it
# (set -a; . ./.env; set +a; npm start). NAME_FILE is the path of a file with the value of NAME, instead of NAME.
# Generated from src/config/variables.ts by \`npm run generate\`.\n\n${groups.join('\n')}`;
}

/** Returns the text of `docs/api/configuration.md`: a table per group of every name, its default and its meaning. */
export function renderConfigurationTable(): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const groups = byGroup().map(([group, variables]) => {
    const rows = variables.map(([name, { description, shownDefault, takesFile }]) => {
      const shown = shownDefault === '' ? 'none' : `\`${cell(shownDefault)}\``;
      const names = takesFile ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``;
      return `| ${names} | ${shown} | ${cell(description)} |\n`;
    });
    return `## ${group}\n\n| name | default | meaning |\n|---|---|---|\n${rows.join('')}`;
  });
  return `# Configuration

Every name that the service reads from its environment. Generated from \`src/config/variables.ts\` by \`npm run generate\`.
[operations.md](../operations.md#configuration) says which of them a deployment sets. A name that ends in \`_FILE\` takes
the path of [a file with the value](../operations.md#secrets-in-files).\n\n${groups.join('\n')}`;
}
