/** How a project begins: with a template, or a kind of one's own. */
import { Alert, Button, SimpleGrid, Stack, Text as Paragraph, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { applyModel } from '../api/model-file.js';
import { useText } from '../i18n/text.js';
import { Empty } from '../shell/page-states.js';
import { useAttempt } from '../shell/use-attempt.js';

const TEMPLATES = {
  crm: () => import('../../../templates/crm.yaml?raw'),
  helpdesk: () => import('../../../templates/helpdesk.yaml?raw'),
  shop: () => import('../../../templates/shop.yaml?raw'),
} as const;

type Template = keyof typeof TEMPLATES;

export function NoKinds({ isAdministrator }: { readonly isAdministrator: boolean }) {
  const text = useText();
  return (
    <Empty>
      {text('overview.empty')}
      {isAdministrator && (
        <>
          <Button component={Link} to="/model/kind/new">
            {text('model.new_kind')}
          </Button>
          <Templates />
        </>
      )}
    </Empty>
  );
}

function Templates() {
  const text = useText();
  const client = useQueryClient();
  const { run, isBusy, fault } = useAttempt();
  const [chosen, setChosen] = useState<Template>();
  const use = (template: Template): void => {
    setChosen(template);
    void run(async () => {
      // Whatever a template opens is meant.
      await applyModel(new Blob([(await TEMPLATES[template]()).default]), { open: ['all'] });
      await client.invalidateQueries();
    });
  };
  return (
    <>
      <Paragraph size="sm" c="dimmed">
        {text('overview.templates')}
      </Paragraph>
      <div aria-live="polite">{fault && <Alert color={fault.color}>{fault.text}</Alert>}</div>
      <SimpleGrid cols={{ base: 1, sm: 3 }} className="overview-templates">
        {(Object.keys(TEMPLATES) as Template[]).map((template) => (
          <Stack key={template} component="section" aria-label={text(`overview.${template}`)} gap="xs">
            <Title order={2} size="h5">
              {text(`overview.${template}`)}
            </Title>
            <Paragraph size="sm">{text(`overview.${template}_text`)}</Paragraph>
            <Button
              variant="default"
              disabled={isBusy}
              loading={isBusy && chosen === template}
              onClick={() => use(template)}
            >
              {text('overview.use_template')}
            </Button>
          </Stack>
        ))}
      </SimpleGrid>
    </>
  );
}
