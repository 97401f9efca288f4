import type { UseFormReturnType } from '@mantine/form'
import type { Label } from '../../api/generated/types.gen.ts'

export type LabelValues = Pick<Label, 'name' | 'effect' | 'sentiment'>
export type LabelForm = UseFormReturnType<LabelValues>
