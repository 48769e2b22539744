import { Select, Textarea, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';

type Template = Schemas['BodyTemplate'];
type Preset = Schemas['BodyPreset'];

/** The input of {@link BodyTemplateFields}. */
export interface TemplateChoice {
  readonly form: 'standard' | 'own' | Preset;
  /** The JSON of a body of one's own, as it is typed. */
  readonly body: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const PRESETS: Readonly<Record<Preset, string>> = {
  teams: 'Microsoft Teams',
  discord: 'Discord',
  'google-chat': 'Google Chat',
  'pagerduty-events-v2': 'PagerDuty',
  opsgenie: 'Opsgenie',
  telegram: 'Telegram',
  mattermost: 'Mattermost',
};

const FORMS = [
  { value: 'standard', label: 'Standard' },
  ...Object.entries(PRESETS).map(([value, label]) => ({ value, label })),
  { value: 'own', label: 'Your own JSON' },
];

interface Parameter {
  readonly name: string;
  readonly label: string;
  readonly isNeeded: boolean;
  readonly description: string;
}

const CREDENTIAL =
  'Create a secret of the project and refer to it: {{secret:NAME}}. Its value is filled in at each send';

const PARAMETERS: Partial<Record<TemplateChoice['form'], Parameter>> = {
  'pagerduty-events-v2': { name: 'routing_key', label: 'Routing key', isNeeded: true, description: CREDENTIAL },
  opsgenie: { name: 'api_key', label: 'API key', isNeeded: false, description: CREDENTIAL },
  telegram: {
    name: 'chat_id',
    label: 'Chat id',
    isNeeded: true,
    description:
      'Everybody who reads the project sees this text. It may refer to a secret of the project: {{secret:NAME}}',
  },
};

const EXAMPLE = `{
  "text": "{{alert.severity}}: {{alert.message}}"
}`;

export function choiceOf(template: Template | null | undefined): TemplateChoice {
  const { preset, body, parameters = {} } = template ?? {};
  const form = preset ?? (body === undefined ? 'standard' : 'own');
  return { form, body: body === undefined ? EXAMPLE : JSON.stringify(body, null, 2), parameters };
}

/** Returns null for the standard body. @throws SyntaxError when the body is no JSON */
export function templateOf({ form, body, parameters }: TemplateChoice): Template | null {
  if (form === 'standard') return null;
  if (form === 'own') return { body: JSON.parse(body) as unknown };
  const name = PARAMETERS[form]?.name;
  const value = name === undefined ? undefined : parameters[name]?.trim();
  return name === undefined || !value ? { preset: form } : { preset: form, parameters: { [name]: value } };
}

export function isComplete(choice: TemplateChoice): boolean {
  if (choice.form !== 'own') return true;
  try {
    templateOf(choice);
    return true;
  } catch {
    return false;
  }
}

interface Props {
  readonly choice: TemplateChoice;
  readonly onChange: (choice: TemplateChoice) => void;
}

/** Chooses what a webhook sends: the standard body, that of a known service, or a body of one's own. */
export function BodyTemplateFields({ choice, onChange }: Props) {
  const parameter = PARAMETERS[choice.form];
  return (
    <>
      <Select
        label="Body"
        description="What is sent: the standard JSON, or the form that another service reads"
        data={FORMS}
        allowDeselect={false}
        value={choice.form}
        onChange={(form) => onChange({ ...choice, form: form as TemplateChoice['form'] })}
      />
      {parameter !== undefined && (
        <TextInput
          label={parameter.label}
          description={parameter.description}
          required={parameter.isNeeded}
          autoComplete="off"
          maxLength={2048}
          value={choice.parameters[parameter.name] ?? ''}
          onChange={(event) =>
            onChange({ ...choice, parameters: { ...choice.parameters, [parameter.name]: event.currentTarget.value } })
          }
        />
      )}
      {choice.form === 'own' && (
        <Textarea
          label="JSON"
          description="Texts may have placeholders such as {{alert.message}} and {{event.properties.amount}}. A test shows the result"
          error={isComplete(choice) ? null : 'This is not JSON yet'}
          autosize
          minRows={4}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={choice.body}
          onChange={(event) => onChange({ ...choice, body: event.currentTarget.value })}
        />
      )}
    </>
  );
}
