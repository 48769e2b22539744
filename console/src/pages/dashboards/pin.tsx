import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  ChangedMeanwhile,
  changeLatest,
  createDashboard,
  savedViewsKey,
  savedViewsOf,
  showDashboard,
} from '../../api/dashboards.js';
import { given } from '../../api/insight.js';
import { MEMBERS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Explained, Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { LinkButton } from '../../parts/links.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { contentOf, EMPTY, filtersOfContent, MAX_PANELS, type Question, withPanel } from './content.js';

interface Pinnable {
  /** Says how the panel shows the question. */
  readonly label: string;
  readonly question: Question;
}

export interface PinProps {
  /** The forms in which the page's question can be pinned, the usual one first. */
  readonly choices: readonly [Pinnable, ...Pinnable[]];
  readonly title: string;
  /** Why there is nothing to pin. Undefined when there is. */
  readonly missing?: string | undefined;
}

/** Adds the question of a page to a dashboard as a panel. */
export function PinToDashboard({ choices, title, missing }: PinProps) {
  const { project } = useCurrentProject();
  const refusal = useRefusal(project.id, MEMBERS);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Act
        variant="default"
        leftSection={<Icon name="pin" size={16} />}
        refusal={refusal ?? missing}
        onAct={() => setIsOpen(true)}
      >
        Pin to dashboard
      </Act>
      <Dialog title="Pin to dashboard" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <PinForm choices={choices} title={title} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

const NEW = 'new';

interface PinFormProps extends Omit<PinProps, 'missing'> {
  readonly onClose: () => void;
}

function PinForm(props: PinFormProps) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(savedViewsOf(project.id, 'dashboard'));
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  return <KnownPinForm {...props} known={data} />;
}

interface KnownPinFormProps extends PinFormProps {
  readonly known: readonly Schemas['SavedViewResponse'][];
}

function KnownPinForm({ choices, title: before, known, onClose }: KnownPinFormProps) {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  // The list may change while the form is open. The choice stays.
  const [chosen, setChosen] = useState(() => known.find((each) => !isFull(each))?.id ?? NEW);
  const [name, setName] = useState('');
  const [title, setTitle] = useState(before.slice(0, 200));
  const [form, setForm] = useState(0);
  const [pinned, setPinned] = useState<Schemas['SavedViewResponse']>();
  const { question } = choices[form] ?? choices[0];
  const pin = async () => {
    const stored = { ...question, search: given(question.search) };
    const size = question.kind === 'figure' ? { w: 3, h: 5 } : undefined;
    const add = (filters: Readonly<Record<string, unknown>>) =>
      filtersOfContent(withPanel(contentOf(filters), title.trim(), stored, size));
    const addToLatest = (filters: Readonly<Record<string, unknown>>) => {
      if (contentOf(filters).panels.length >= MAX_PANELS)
        throw new Explained(`This dashboard has ${MAX_PANELS} panels, which is the most. Choose another one.`);
      return add(filters);
    };
    try {
      const view =
        chosen === NEW
          ? await createDashboard(project.id, name.trim(), add(filtersOfContent(EMPTY)))
          : await changeLatest({ id: chosen, project_id: project.id }, addToLatest);
      await showDashboard(queries, view);
      setPinned(view);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      void queries.invalidateQueries({ queryKey: savedViewsKey(project.id) });
      throw new Explained(`${error.message} The panel is not on it. Pin again, or choose another dashboard.`);
    }
  };
  if (pinned !== undefined) return <Pinned view={pinned} onClose={onClose} />;
  return (
    <ActForm verb="Pin" act={pin}>
      <Select
        label="Dashboard"
        data={[
          ...known.map((each) => ({
            value: each.id,
            label: isFull(each) ? `${each.name} (full: ${MAX_PANELS} panels)` : each.name,
            disabled: isFull(each),
          })),
          { value: NEW, label: 'New dashboard' },
        ]}
        allowDeselect={false}
        value={chosen}
        onChange={(value) => setChosen(value ?? NEW)}
      />
      {chosen === NEW && (
        <TextInput
          label="Name of the dashboard"
          description="Everybody in the project sees it"
          placeholder="Checkout health"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Title of the panel"
        required
        maxLength={200}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      {choices.length > 1 && (
        <Select
          label="Show as"
          data={choices.map(({ label }, index) => ({ value: String(index), label }))}
          allowDeselect={false}
          value={String(form)}
          onChange={(value) => setForm(Number(value))}
        />
      )}
    </ActForm>
  );
}

function isFull({ filters }: Schemas['SavedViewResponse']): boolean {
  return contentOf(filters).panels.length >= MAX_PANELS;
}

interface PinnedProps {
  readonly view: Schemas['SavedViewResponse'];
  readonly onClose: () => void;
}

function Pinned({ view, onClose }: PinnedProps) {
  const { organization, project } = useCurrentProject();
  return (
    <Stack>
      <Text role="status">
        The panel is on <b>{view.name}</b>.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Stay here
        </Button>
        <LinkButton
          to="/o/$organization/p/$project/dashboards/$dashboard"
          params={{ organization: organization.slug, project: project.slug, dashboard: view.id }}
        >
          Open the dashboard
        </LinkButton>
      </Group>
    </Stack>
  );
}
