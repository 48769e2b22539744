import { Button, Card, Container, Group, Select, Stack, Stepper, Text, TextInput, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { organizations, projects } from '../../api/queries.js';
import { Failure } from '../../parts/failures.js';
import { slugOf, withFreeSlug } from './slug.js';

/** The first two of the first steps. The third step happens in the project that they create. */
export function StartPage() {
  const { data: known } = useSuspenseQuery(organizations);
  const [organizationId, setOrganizationId] = useState(known[0]?.id ?? null);
  const [isMaking, setIsMaking] = useState(known.length === 0);
  const organization = known.find(({ id }) => id === organizationId);
  const isNarrow = useMediaQuery('(max-width: 48em)');
  const queries = useQueryClient();
  const navigate = useNavigate();

  const makeOrganization = async (name: string) => {
    const made = await withFreeSlug(name, (slug) => api.createOrganization({ body: { name, slug } }));
    await queries.refetchQueries({ queryKey: organizations.queryKey });
    setOrganizationId(made.id);
    setIsMaking(false);
  };
  const makeProject = async (name: string) => {
    if (organization === undefined) return;
    const { id: organization_id } = organization;
    const made = await withFreeSlug(name, (slug) => api.createProject({ body: { organization_id, name, slug } }));
    await queries.refetchQueries({ queryKey: projects.queryKey });
    await navigate({
      to: '/o/$organization/p/$project/first-event',
      params: { organization: organization.slug, project: made.slug },
    });
  };

  return (
    <Container component="main" size="sm" py="xl">
      <Stack gap="xl">
        <div>
          <Title order={1} size="h2">
            First steps
          </Title>
          <Text c="dimmed">Name an organization and a project, then send the first event.</Text>
        </div>
        <Stepper
          active={isMaking ? 0 : 1}
          orientation={isNarrow ? 'vertical' : 'horizontal'}
          size="sm"
          allowNextStepsSelect={false}
          onStepClick={(step) => setIsMaking(step === 0)}
        >
          <Stepper.Step label="Organization" description="Your company or team" />
          <Stepper.Step label="Project" description="An application or system" />
          <Stepper.Step label="First event" description="From any program" />
        </Stepper>
        {isMaking ? (
          <NameForm
            key="organization"
            label="Name of the organization"
            placeholder="Acme"
            act="Make the organization"
            make={makeOrganization}
          />
        ) : (
          <Stack>
            {known.length > 1 && (
              <Select
                label="Organization"
                data={known.map(({ id, name }) => ({ value: id, label: name }))}
                value={organizationId}
                onChange={setOrganizationId}
                allowDeselect={false}
              />
            )}
            <NameForm
              key="project"
              label="Name of the project"
              placeholder="Web shop"
              act="Make the project"
              make={makeProject}
            />
          </Stack>
        )}
      </Stack>
    </Container>
  );
}

interface NameFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly act: string;
  readonly make: (name: string) => Promise<void>;
}

function NameForm({ label, placeholder, act, make }: NameFormProps) {
  const [name, setName] = useState('');
  const making = useMutation({ mutationFn: () => make(name.trim()) });
  const slug = slugOf(name);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <Card withBorder padding="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={label}
            placeholder={placeholder}
            required
            autoFocus
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            description={slug === '' ? 'Addresses contain a short form of the name' : `In addresses: ${slug}`}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
          />
          <Failure error={making.error} />
          <Group justify="flex-end">
            <Button type="submit" loading={making.isPending} disabled={slug === ''}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
