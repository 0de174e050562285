/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_read.h"
#include "ssd-workloads/run/mqsim.h"
#include "tests/unit/unit.h"

static char *fixture(size_t *size)
{
	char path[512], why[192], *text;

	snprintf(path, sizeof(path), "%s/tests/fixtures/mqsim-workload.xml", unit_srcdir());
	assert_int_equal(report_read_bytes(path, &text, size, why, sizeof(why)), 0);
	return text;
}

/* The fixture with its first `from` replaced. */
static int parse_with(const char *from, const char *to, unsigned number, struct mqsim_scenario *scenario, char *why,
	size_t length)
{
	size_t size;
	char *text = fixture(&size), *at = strstr(text, from), *changed = calloc(1, size + strlen(to) + 1);
	int rc;

	assert_non_null(at);
	assert_non_null(changed);
	memcpy(changed, text, (size_t)(at - text));
	memcpy(changed + (at - text), to, strlen(to));
	memcpy(changed + (at - text) + strlen(to), at + strlen(from), size - (size_t)(at - text) - strlen(from));
	rc = mqsim_parse(changed, size - strlen(from) + strlen(to), number, scenario, why, length);
	free(changed);
	free(text);
	return rc;
}

TEST("two flows are the log and the checkpoint, with size, depth, working set and hot region, and the longer time")
{
	struct mqsim_scenario scenario;
	char why[192];

	assert_int_equal(parse_with("<?xml", "<?xml", 1, &scenario, why, sizeof(why)), 0);
	assert_int_equal(scenario.count, 2);
	assert_int_equal(scenario.flows[MIX_LOG].depth, 64);
	assert_int_equal(scenario.flows[MIX_LOG].block_bytes, 16384);
	assert_int_equal(scenario.flows[MIX_LOG].working_percent, 50);
	assert_false(scenario.flows[MIX_LOG].is_random);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].depth, 8);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].block_bytes, 131072);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].working_percent, 40);
	assert_true(scenario.flows[MIX_CHECKPOINT].is_random);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].hot_percent, 20);
	assert_int_equal(scenario.stop_ns, 500000000);
	assert_false(scenario.is_uncached);
}

TEST("the second scenario is its own, and a random flow alone is a checkpoint")
{
	struct mqsim_scenario scenario;
	char why[192];

	assert_int_equal(parse_with("<?xml", "<?xml", 2, &scenario, why, sizeof(why)), 0);
	assert_int_equal(scenario.count, 1);
	assert_int_equal(scenario.flows[MIX_LOG].depth, 0);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].depth, 8);
	assert_true(scenario.flows[MIX_CHECKPOINT].is_random);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].hot_percent, 0);
}

TEST("of a random and a sequential flow the random one is the checkpoint, whichever comes first")
{
	struct mqsim_scenario scenario;
	char why[192];

	assert_int_equal(parse_with("RANDOM_HOTCOLD", "STREAMING", 1, &scenario, why, sizeof(why)), 0);
	assert_int_equal(scenario.flows[MIX_LOG].depth, 64);
	assert_int_equal(scenario.flows[MIX_CHECKPOINT].depth, 8);
	assert_int_equal(parse_with("STREAMING", "uniform_random", 1, &scenario, why, sizeof(why)), -EINVAL);
	assert_non_null(strstr(why, "one flow may be random"));
}

TEST("what is not supported is refused by the name of its element and its line")
{
	static const struct { const char *from, *to, *why; } refused[] = {
		{"<Read_Percentage>0", "<Read_Percentage>70",
			"line 11, Read_Percentage: 70 is not supported; flows write only, which is 0"},
		{"QUEUE_DEPTH", "BANDWIDTH",
			"line 10, Synthetic_Generator_Type: BANDWIDTH is not supported; this can be QUEUE_DEPTH"},
		{"FIXED", "NORMAL",
			"line 16, Request_Size_Distribution: NORMAL is not supported; this can be FIXED"},
		{"STREAMING", "MIXED_STREAMING_RANDOM",
			"line 12, Address_Distribution: MIXED_STREAMING_RANDOM is not supported; this can be STREAMING, "
			"RANDOM_UNIFORM, UNIFORM_RANDOM, RANDOM_HOTCOLD, HOTCOLD_RANDOM"},
		{"Addresses>true", "Addresses>false",
			"line 14, Generated_Aligned_Addresses: false is not supported; this can be true"},
		{"QUEUE_DEPTH", "QUEUE\nDEPTH",
			"line 10, Synthetic_Generator_Type: QUEUE DEPTH is not supported; this can be QUEUE_DEPTH"},
		{"<Seed>798</Seed>", "<Zones>1</Zones>", "line 19, Zones: is not supported"},
		{"<Seed>798</Seed>", "<Stop_Time>5</Stop_Time>", "line 21, Stop_Time: is there twice"},
		{"<Average_Request_Size>32</Average_Request_Size>", "",
			"line 4, IO_Flow_Parameter_Set_Synthetic: Average_Request_Size is missing"},
		{"<Average_Request_Size>32", "<Average_Request_Size>0",
			"line 17, Average_Request_Size: must be a whole number from 1 to 8192"},
		{"<Average_Request_Size>32", "<Average_Request_Size>8193",
			"line 17, Average_Request_Size: must be a whole number from 1 to 8192"},
		{"Queue>64", "Queue>1025", "line 20, Average_No_of_Reqs_in_Queue: must be a whole number from 1 to 1024"},
		{"Percentage>50</Working", "Percentage>101</Working",
			"line 9, Working_Set_Percentage: must be a whole number from 1 to 100"},
		{"Percentage>50</Working", "Percentage>x</Working",
			"line 9, Working_Set_Percentage: must be a whole number from 1 to 100"},
		{"Region>20", "Region>100",
			"line 24, IO_Flow_Parameter_Set_Synthetic: Percentage_of_Hot_Region must be from 1 to 99"},
		{"<Average_Request_Size>256", "<Average_Request_Size>40",
			"line 24, IO_Flow_Parameter_Set_Synthetic: Address_Alignment_Unit must divide Average_Request_Size: "
			"random writes begin at multiples of their size"},
		{"<Stop_Time>500000000</Stop_Time>\n<Total_Requests_To_Generate>0", "<Total_Requests_To_Generate>5",
			"line 4, IO_Flow_Parameter_Set_Synthetic: Total_Requests_To_Generate is not supported; give Stop_Time"},
		{"WRITE_CACHE", "TURNED_OFF",
			"line 24, IO_Flow_Parameter_Set_Synthetic: Device_Level_Data_Caching_Mode must be that of the first flow"},
		{"HIGH", "LOW", "line 24, IO_Flow_Parameter_Set_Synthetic: Priority_Class must be that of the first flow"},
		{"<IO_Flow_Parameter_Set_Synthetic>", "<IO_Flow_Parameter_Set_Trace_Based/><IO_Flow_Parameter_Set_Synthetic>",
			"line 4, IO_Flow_Parameter_Set_Trace_Based: is not supported; flows are IO_Flow_Parameter_Set_Synthetic"},
		{"</IO_Scenario>", "<IO_Flow_Parameter_Set_Synthetic/></IO_Scenario>",
			"line 44, IO_Flow_Parameter_Set_Synthetic: up to two flows are supported: "
			"one is the log, one the checkpoint"},
		{"<IO_Scenario>", "<IO_Scenario/><IO_Scenario>", "line 3, IO_Scenario: has no flow"},
		{"<IO_Scenario>", "<Scenario/><IO_Scenario>", "line 3, Scenario: is not supported; scenarios are IO_Scenario"},
		{"</Seed>", "</<Seed>", "line 19: not well-formed XML: expected '>'"},
	};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct mqsim_scenario scenario;
		char why[256];

		assert_int_equal(parse_with(refused[i].from, refused[i].to, 1, &scenario, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, refused[i].why);
	}
}

TEST("another document, a scenario that is not there, a truncated file and a large one are refused")
{
	struct mqsim_scenario scenario;
	char why[192], *large = calloc(1, 2u << 20), *text;
	size_t size;

	assert_non_null(large);
	assert_int_equal(mqsim_parse("<pmbenchmark/>", 14, 1, &scenario, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "line 1, pmbenchmark: a workload definition of MQSim begins with MQSim_IO_Scenarios");
	assert_int_equal(parse_with("<?xml", "<?xml", 3, &scenario, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "line 2, MQSim_IO_Scenarios: has 2 scenarios, not 3");
	memset(large, ' ', 2u << 20);
	assert_int_equal(mqsim_parse(large, 2u << 20, 1, &scenario, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "is larger than 1 MiB");
	free(large);
	text = fixture(&size);
	for (size_t length = 0; length < size - 2; length += 7) {
		why[0] = '\0';
		assert_int_equal(mqsim_parse(text, length, 1, &scenario, why, sizeof(why)), -EINVAL);
		assert_true(why[0] && !strchr(why, '\n'));
	}
	free(text);
}
