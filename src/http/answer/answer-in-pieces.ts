/** The answer from a value that may be large: its text is made with pauses for other requests. */
import { jsonText } from '../../shared/large-json.js';
import { runYielding, type Pauses } from '../../shared/work-in-pieces.js';
import { Answer } from './answer.js';

export async function jsonAnswerInPieces(content: object, pauses: Pauses): Promise<Answer> {
  return new Answer(await runYielding(jsonText(content), pauses));
}
