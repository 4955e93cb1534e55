/** Makes, edits and deletes a kind, a link type or a group. */
import { useParams } from 'react-router';
import { NotFoundPage } from '../shell/error-page.js';
import { findDefinition, isEdited } from './definition-draft.js';
import { DefinitionForm } from './definition-form.js';
import { OfModel } from './of-model.js';
import './model.css';

export function DefinitionPage() {
  const { of = 'kind', id } = useParams();
  if (!isEdited(of)) return <NotFoundPage />;
  return (
    <OfModel id={id} find={(model, known) => findDefinition(model, of, known)}>
      {(model, definition) => (
        // What is typed stays, whatever is read meanwhile.
        <DefinitionForm key={`${of} ${id ?? ''}`} of={of} model={model} definition={definition} />
      )}
    </OfModel>
  );
}
