import { Button, Group, List, Skeleton, Text, ThemeIcon } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { alertRules } from '../../api/alerting.js';
import { channels, CHANNEL_MANAGERS, destinations } from '../../api/delivery.js';
import { savedViewsOf } from '../../api/dashboards.js';
import { hasOwnEvent } from '../../api/first-steps.js';
import { invitations } from '../../api/organization.js';
import { projectHealth, projectMembers } from '../../api/owning.js';
import { MANAGERS, MEMBERS, OPERATORS, useRefusal } from '../../api/roles.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { LinkButton } from '../../parts/links.js';
import { NotOffered, Section } from '../../parts/section.js';
import { useCurrentProject } from '../../shell/current-project.js';

/** The states change rarely, so they are not polled. */
const ONCE = { refetchInterval: false } as const;

interface Step {
  readonly title: string;
  /** Undefined until it is known. */
  readonly isDone: boolean | undefined;
  /** Why the caller may not take the step. */
  readonly refusal?: string | undefined;
  /** A link to the page of the step. */
  readonly link?: ReactNode;
}

/** Lists the steps that set up the project, with their states. The browser remembers for which projects it is hidden. */
export function Checklist() {
  const { project } = useCurrentProject();
  const [hidden, setHidden] = useLocalStorage<readonly string[]>({
    key: 'console-hidden-checklists',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  if (hidden.includes(project.id)) {
    return (
      <Button
        variant="subtle"
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setHidden((before) => before.filter((each) => each !== project.id))}
      >
        Show the checklist
      </Button>
    );
  }
  return <Steps onHide={() => setHidden((before) => [...before, project.id])} />;
}

function Steps({ onHide }: { readonly onHide: () => void }) {
  const { steps, error } = useSteps();
  const done = steps.filter(({ isDone }) => isDone === true).length;
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  return (
    <Section
      title="Checklist"
      about={
        !isKnown
          ? 'Steps that set up the project.'
          : done === steps.length
            ? 'The project is set up.'
            : `${done} of ${steps.length} steps are done.`
      }
      acts={
        <Button variant="default" onClick={onHide}>
          Hide
        </Button>
      }
    >
      <Failure error={error} />
      <List
        listStyleType="none"
        styles={{
          root: { display: 'grid', gridTemplateColumns: 'repeat(auto-fill, minmax(280px, 1fr))', gap: '8px 32px' },
          itemWrapper: { width: '100%' },
          itemLabel: { flex: 1 },
        }}
      >
        {steps.map((step) => (
          <StepRow key={step.title} step={step} />
        ))}
      </List>
    </Section>
  );
}

function StepRow({ step: { title, isDone, refusal, link } }: { readonly step: Step }) {
  return (
    <List.Item
      icon={
        isDone === undefined ? (
          <Skeleton circle height={24} />
        ) : (
          <ThemeIcon size={24} radius="xl" variant={isDone ? 'filled' : 'default'}>
            {isDone && <Icon name="check" size={14} />}
          </ThemeIcon>
        )
      }
    >
      <Group justify="space-between" gap="xs" mih={36}>
        <Text size="sm">
          {title}
          <Text span size="sm" c="dimmed">
            {isDone === undefined ? '' : isDone ? ' · done' : ' · open'}
          </Text>
        </Text>
        {isDone === false && (refusal === undefined ? link : <NotOffered why={refusal} />)}
      </Group>
    </List.Item>
  );
}

function useSteps(): { readonly steps: readonly Step[]; readonly error: unknown } {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const managers = useRefusal(project.id, MANAGERS);
  const operators = useRefusal(project.id, OPERATORS);
  const channelManagers = useRefusal(project.id, CHANNEL_MANAGERS);
  const members = useRefusal(project.id, MEMBERS);

  const health = useQuery({ ...projectHealth(project.id), ...ONCE });
  const onboarding = health.data?.onboarding;
  const own = useQuery({ ...hasOwnEvent(project.id), enabled: onboarding?.has_event === true });
  const ends = useQuery({ ...destinations(project.id), ...ONCE });
  const ways = useQuery({ ...channels(project.id), ...ONCE });
  const rules = useQuery({ ...alertRules(project.id), ...ONCE });
  const people = useQuery({ ...projectMembers(project.id), ...ONCE });
  // The owner of the organization and its admins belong to every project, so a person who is alone is the owner.
  const invited = useQuery({ ...invitations(organization.id), ...ONCE, enabled: people.data?.length === 1 });
  const boards = useQuery({ ...savedViewsOf(project.id, 'dashboard'), ...ONCE });

  const isInvited = invited.data?.some(({ status }) => status === 'pending') ?? false;
  const hasEndpoint =
    ends.data === undefined || ways.data === undefined ? undefined : ends.data.length + ways.data.length > 0;
  const steps: readonly Step[] = [
    { title: 'A project', isDone: true },
    {
      title: 'A key',
      isDone: onboarding?.has_key,
      refusal: managers,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/keys" params={params}>
          Make a key
        </LinkButton>
      ),
    },
    {
      title: 'An event from your program',
      isDone: onboarding?.has_event === false ? false : own.data,
      refusal: managers,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/first-event" params={params}>
          Send an event
        </LinkButton>
      ),
    },
    {
      title: 'An endpoint that is notified',
      isDone: hasEndpoint,
      refusal: operators === undefined || channelManagers === undefined ? undefined : operators,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/endpoints" params={params}>
          Add an endpoint
        </LinkButton>
      ),
    },
    {
      title: 'An alert rule',
      isDone: rules.data === undefined ? undefined : rules.data.length > 0,
      refusal: operators,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/alert-rules" params={params}>
          Add a rule
        </LinkButton>
      ),
    },
    {
      title: 'A second person',
      isDone: people.data === undefined ? undefined : people.data.length > 1 || isInvited,
      refusal: managers,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/organization/invitations" params={params}>
          Invite
        </LinkButton>
      ),
    },
    {
      title: 'A dashboard',
      isDone: boards.data === undefined ? undefined : boards.data.length > 0,
      refusal: members,
      link: (
        <LinkButton variant="default" to="/o/$organization/p/$project/dashboards" params={params}>
          Make a dashboard
        </LinkButton>
      ),
    },
  ];
  const reads = [health, own, ends, ways, rules, people, invited, boards];
  return { steps, error: reads.find(({ error }) => error !== null)?.error ?? null };
}
