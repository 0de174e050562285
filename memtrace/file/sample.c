/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/sample.h"

bool sample_parse(const struct perf_event_attr *attr, const uint64_t *words, size_t count, struct sample_fields *fields)
{
	const uint64_t *end = words + count;
	uint64_t type = attr->sample_type, thread = 0;
	/* The fields in the order of the record. */
	const struct {
		uint64_t type;
		uint64_t *field;
	} before[] = {
		{PERF_SAMPLE_IDENTIFIER, &fields->identifier},
		{PERF_SAMPLE_IP, &fields->ip},
		{PERF_SAMPLE_TID, &thread},
		{PERF_SAMPLE_TIME, &fields->time_ns},
		{PERF_SAMPLE_ADDR, &fields->address},
	}, behind[] = {
		{PERF_SAMPLE_WEIGHT_TYPE, &fields->weight},
		{PERF_SAMPLE_DATA_SRC, &fields->source},
	};

	*fields = (struct sample_fields){0};
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		if (!(type & before[i].type))
			continue;
		if (words == end)
			return false;
		*before[i].field = *words++;
	}
	fields->pid = (uint32_t)thread;
	fields->tid = (uint32_t)(thread >> 32);
	if (type & PERF_SAMPLE_REGS_USER) {
		size_t registers = (size_t)__builtin_popcountll(attr->sample_regs_user);

		if (words == end)
			return false;
		fields->abi = *words++;
		if (fields->abi != PERF_SAMPLE_REGS_ABI_NONE) {
			if ((size_t)(end - words) < registers)
				return false;
			fields->registers = words;
			words += registers;
		}
	}
	if (type & PERF_SAMPLE_STACK_USER) {
		size_t bytes, copied;

		if (words == end)
			return false;
		bytes = (size_t)*words++;
		/* After the copy comes the number of its valid bytes; without a copy that number is missing. */
		if (bytes % 8 || (bytes && (size_t)(end - words) < bytes / 8 + 1))
			return false;
		copied = bytes ? (size_t)words[bytes / 8] : 0;
		fields->stack = bytes ? (const uint8_t *)words : NULL;
		fields->stack_bytes = copied < bytes ? copied : bytes;
		words += bytes ? bytes / 8 + 1 : 0;
	}
	for (size_t i = 0; i < sizeof(behind) / sizeof(behind[0]); i++) {
		if (!(type & behind[i].type))
			continue;
		if (words == end)
			return false;
		*behind[i].field = *words++;
	}
	/* The weight has three parts, of which the first is the latency of the access. */
	if (type & PERF_SAMPLE_WEIGHT_STRUCT)
		fields->weight &= UINT32_MAX;
	return true;
}

enum trace_loss sample_from_source(const struct sample_fields *fields, struct trace_sample *sample)
{
	union perf_mem_data_src source = {.val = fields->source};
	bool is_load = source.mem_op & PERF_MEM_OP_LOAD, is_store = source.mem_op & PERF_MEM_OP_STORE;

	if (!is_load && !is_store)
		return TRACE_NOT_MEMORY;
	if (!fields->address)
		return TRACE_NO_ADDRESS;
	sample->time_ns = fields->time_ns;
	sample->address = fields->address;
	sample->ip = fields->ip;
	sample->tid = fields->tid;
	sample->kind = is_load && is_store ? TRACE_UPDATE : is_load ? TRACE_LOAD : TRACE_STORE;
	sample->weight = fields->weight > UINT32_MAX ? UINT32_MAX : (uint32_t)fields->weight;
	sample->source = fields->source;
	return TRACE_LOSSES;
}
