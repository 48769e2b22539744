import { Badge, Button, Select, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { projectSettings, projectHealth } from '../../api/owning.js';
import { projects } from '../../api/queries.js';
import { MANAGERS, useRefusal } from '../../api/roles.js';
import { ActForm } from '../../parts/act-form.js';
import { Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { PageHead } from '../../parts/page-head.js';
import { NotOffered, Section } from '../../parts/section.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';

const RANGES = [
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: 'An hour' },
  { value: '24h', label: 'A day' },
  { value: '7d', label: 'A week' },
  { value: '30d', label: '30 days' },
  { value: 'all', label: 'Everything' },
] as const;

export function SettingsPage() {
  const { project } = useCurrentProject();
  const refusal = useRefusal(project.id, MANAGERS);
  const { data: settings, error } = useQuery(projectSettings(project.id));
  return (
    <Stack gap="lg" maw={760}>
      <PageHead
        title="Settings"
        guide="organizations-and-projects#settings"
        about="Name, time zone, views and privacy of the project."
      />
      {refusal !== undefined && <NotOffered why={`${refusal} to change them`} />}
      <NameSection refusal={refusal} />
      <Failure error={error} />
      {settings === undefined && error === null && <PendingPage />}
      {settings !== undefined && <SettingsSection key={settings.updated_at} settings={settings} refusal={refusal} />}
      {refusal === undefined && <LifeSection />}
    </Stack>
  );
}

interface Props {
  readonly refusal: string | undefined;
}

function NameSection({ refusal }: Props) {
  const { organization, project } = useCurrentProject();
  const queries = useQueryClient();
  const router = useRouter();
  const navigate = useNavigate();
  const [name, setName] = useState(project.name);
  const [slug, setSlug] = useState(project.slug);
  const rename = async () => {
    await api.updateProject({ path: { project_id: project.id }, body: { name: name.trim(), slug } });
    await queries.refetchQueries({ queryKey: projects.queryKey });
    await navigate({
      to: '/o/$organization/p/$project/settings',
      params: { organization: organization.slug, project: slug },
      replace: true,
    });
    await router.invalidate();
  };
  const isSame = name.trim() === project.name && slug === project.slug;
  return (
    <Section title="Name">
      <ActForm verb="Save the name" isDisabled={isSame || refusal !== undefined} act={rename}>
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          maxLength={200}
          readOnly={refusal !== undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="In addresses"
          description="Links to pages of the project change with it"
          required
          withAsterisk={false}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          maxLength={63}
          readOnly={refusal !== undefined}
          value={slug}
          onChange={(event) => setSlug(event.currentTarget.value)}
        />
      </ActForm>
    </Section>
  );
}

interface SettingsProps extends Props {
  readonly settings: Schemas['SettingsResponse'];
}

function SettingsSection({ settings, refusal }: SettingsProps) {
  const queries = useQueryClient();
  const [timezone, setTimezone] = useState(settings.timezone);
  const [range, setRange] = useState(settings.default_range);
  const [redacted, setRedacted] = useState(settings.redacted_properties);
  const [noise, setNoise] = useState(settings.noise_endpoints);
  const [annotations, setAnnotations] = useState(settings.annotation_events ?? []);
  const isFixed = refusal !== undefined;
  const save = async () => {
    const { project_id } = settings;
    const body = {
      timezone,
      default_range: range,
      redacted_properties: redacted,
      noise_endpoints: noise,
      annotation_events: annotations,
    };
    const saved = await api.replaceProjectSettings({ path: { project_id }, body });
    queries.setQueryData(projectSettings(project_id).queryKey, saved);
  };
  return (
    <Section title="Views and privacy">
      <ActForm verb="Save the settings" isDisabled={isFixed} act={save}>
        <Select
          label="Time zone"
          description="Decides where days begin in charts and reports"
          data={[...new Set(['UTC', settings.timezone, ...Intl.supportedValuesOf('timeZone')])]}
          value={timezone}
          searchable
          limit={60}
          allowDeselect={false}
          readOnly={isFixed}
          onChange={(value) => value !== null && setTimezone(value)}
        />
        <Select
          label="Default time range"
          data={RANGES}
          value={range}
          allowDeselect={false}
          readOnly={isFixed}
          onChange={(value) => value !== null && setRange(value)}
        />
        <TagsInput
          label="Properties that are never kept"
          description="Paths such as card.number or users.*.email. From the next event on their values read [redacted]."
          placeholder={isFixed ? '' : 'Type a path and press Enter'}
          maxTags={50}
          readOnly={isFixed}
          value={redacted}
          onChange={setRedacted}
        />
        <TagsInput
          label="Noisy endpoints"
          description="Paths that views can leave out, such as health checks"
          placeholder={isFixed ? '' : 'Such as /healthz'}
          maxTags={100}
          readOnly={isFixed}
          value={noise}
          onChange={setNoise}
        />
        <TagsInput
          label="Events that are marked in charts"
          description="Names such as deploy.finished, or patterns such as deploy.*. Every time axis shows when they happened."
          placeholder={isFixed ? '' : 'Type a name and press Enter'}
          maxTags={20}
          readOnly={isFixed}
          value={annotations}
          onChange={setAnnotations}
        />
      </ActForm>
    </Section>
  );
}

function LifeSection() {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const { data: state, error } = useQuery(projectHealth(project.id));
  const [isDeleting, setIsDeleting] = useState(false);
  const path = { project_id: project.id };
  const isArchived = state !== undefined && state.archived_at !== null;
  const turn = useMutation({
    mutationFn: async () => {
      await (isArchived ? api.restoreProject({ path }) : api.archiveProject({ path }));
      await queries.invalidateQueries({ queryKey: ['project', project.id] });
    },
  });
  return (
    <Section
      title={isArchived ? 'The project is archived' : 'Archive'}
      about={
        isArchived
          ? 'It takes no events; everything it has can be read. It still counts in the plan.'
          : 'It takes no more events, and everything stays readable. It can be restored at any time.'
      }
      acts={
        <>
          {isArchived && (
            <Badge variant="light" color="orange">
              Archived
            </Badge>
          )}
          <Button variant="default" loading={turn.isPending || state === undefined} onClick={() => turn.mutate()}>
            {isArchived ? 'Restore' : 'Archive'}
          </Button>
          <Button variant="light" color="red" onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        </>
      }
    >
      <Failure error={error ?? turn.error} />
      <Dialog title="Delete the project" isOpen={isDeleting} onClose={() => setIsDeleting(false)}>
        <DeleteForm />
      </Dialog>
    </Section>
  );
}

function DeleteForm() {
  const { project } = useCurrentProject();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const remove = async () => {
    await api.deleteProject({ path: { project_id: project.id } });
    await queries.refetchQueries({ queryKey: projects.queryKey });
    await navigate({ to: '/' });
  };
  return (
    <ActForm verb="Delete for good" isDangerous isDisabled={name !== project.name} act={remove}>
      <Text size="sm">
        Its events, keys, rules and files go, and nothing brings them back. Keys are refused at once.
      </Text>
      <TextInput
        label={`Type ${project.name} to go on`}
        data-autofocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}
