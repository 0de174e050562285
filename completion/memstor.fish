# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of the suite's programs in fish. What a program takes it says itself (PROGRAM --completion-rows,
# common/cli/opt.h), so nothing here is older or newer than the program.

# __memstor_paths KIND BEGIN BEFORE: files, folders or reports that begin so, with BEFORE before each
function __memstor_paths
    for path in (complete -C "'' $argv[2]")
        switch $argv[1]
            case folder
                string match -q '*/' -- $path; or continue
            case report
                string match -q -r '(/|\.xml)$' -- $path; or continue
        end
        echo -- $argv[3]$path
    end
end

# __memstor_value KIND BEGIN BEFORE CHOICE...: what the value may become
function __memstor_value
    set -l kind (string trim -r -c '?' -- $argv[1])
    set -l begin $argv[2]
    set -l before $argv[3]
    set -l choices $argv[4..-1]
    if test $kind = list
        set before $before(string match -r '^.*,' -- $begin; or echo '')
        set begin (string replace -r '^.*,' '' -- $begin)
    end
    for choice in $choices
        if contains -- $choice file: loop:; and string match -q -- "$choice*" $begin
            __memstor_paths file (string replace -- $choice '' $begin) $before$choice
            return
        end
    end
    for choice in $choices
        echo -- $before$choice
    end
    contains -- $kind file output folder report; and __memstor_paths $kind "$begin" "$before"
end

function __memstor_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    command -q $program; or return
    set -l rows (command $program --completion-rows </dev/null 2>/dev/null)
    set -l first 2
    set -l commands (string replace -f -r '^command ' '' -- $rows)
    if set -q commands[1]
        if set -q words[2]
            contains -- $words[2] $commands; or return
            set rows (command $program $words[2] --completion-rows </dev/null 2>/dev/null)
            set first 3
        else
            printf '%s\n' $commands
        end
    end

    # Of each option, at the same place in each list.
    set -l names
    set -l letters
    set -l kinds
    set -l times
    set -l choices
    set -l arguments
    for row in $rows
        set -l fields (string split ' ' -- $row)
        switch $fields[1]
            case option
                # One without a long name is named by its letter.
                set -a names (test $fields[2] = - && echo -- $fields[3] || echo -- $fields[2])
                set -a letters $fields[3]
                set -a kinds $fields[4]
                set -a times $fields[5]
                set -a choices "$fields[6..-1]"
            case argument
                set -a arguments "$fields[4..-1]"
        end
    end

    # What stands before the cursor: options that are given, the one whose value comes next, and arguments.
    set -l given
    set -l pending
    set -l is_over
    set -l count 0
    set -l program_at 0
    for i in (seq $first (count $words))
        set -l word $words[$i]
        if test -n "$pending"
            set pending
        else if test -n "$is_over"; or not string match -q -r '^-.' -- $word
            set count (math $count + 1)
            test $program_at = 0; and set program_at $i
            # The rest is the command's.
            string match -q 'command *' -- $arguments[1]; and set is_over yes
        else if test "$word" = --
            set is_over yes
        else if string match -q -- '--*' $word
            set -l at (contains -i -- (string replace -r '=.*' '' -- $word) $names)
            or continue
            set -a given $names[$at]
            string match -q -r '^none$|\?$' -- $kinds[$at]; or string match -q '*=*' -- $word; or set pending $at
        else
            # -qf is -q and -f; the first one that takes a value has the rest of the word, or the next word.
            set -l rest (string split '' -- (string sub -s 2 -- $word))
            for k in (seq (count $rest))
                set -l at (contains -i -- -$rest[$k] $letters)
                or continue
                set -a given $names[$at]
                test $kinds[$at] = none; and continue
                test $k = (count $rest); and not string match -q '*\?' -- $kinds[$at]; and set pending $at
                break
            end
        end
    end

    if test -n "$pending"
        __memstor_value $kinds[$pending] "$current" '' (string split -n ' ' -- $choices[$pending])
    else if test -z "$is_over"; and string match -q -r '^--.*=' -- $current
        set -l name (string replace -r '=.*' '' -- $current)
        set -l at (contains -i -- $name $names); and test $kinds[$at] != none
        and __memstor_value $kinds[$at] (string replace -- $name= '' $current) $name= (string split -n ' ' -- $choices[$at])
    else if test -z "$is_over"; and string match -q -r '^-[^-]' -- $current
        set -l letter (string sub -l 2 -- $current)
        set -l at (contains -i -- $letter $letters); or return
        if test "$current" = $letter
            echo -- $letter
        else if test $kinds[$at] != none
            __memstor_value $kinds[$at] (string sub -s 3 -- $current) $letter (string split -n ' ' -- $choices[$at])
        end
    else if test -z "$is_over"; and string match -q -- '-*' $current
        for i in (seq (count $names))
            contains -- $names[$i] $given; and test $times[$i] = once; and continue
            # fish puts no blank behind a "=".
            if string match -q -r '^-[^-]' -- $names[$i]; or test $kinds[$i] = none
                echo -- $names[$i]
            else if string match -q '*\?' -- $kinds[$i]
                printf '%s\n' $names[$i] $names[$i]=
            else
                echo -- $names[$i]=
            end
        end
    else if string match -q 'command *' -- $arguments[1]
        # A command line of its own, from its first word on.
        set -l rest
        test $program_at != 0; and set rest (string escape -- $words[$program_at..-1])
        complete -C "$rest $current" | string replace -r '\t.*' ''
    else if set -q arguments[1]
        set -l place (math $count + 1)
        if test $place -gt (count $arguments)
            set place (count $arguments)
            string match -q -r '^\S+ many' -- $arguments[$place]; or return
        end
        set -l fields (string split ' ' -- $arguments[$place])
        __memstor_value $fields[1] "$current" '' $fields[3..-1]
    end
end
